package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.Decision.Allowed;
import io.headgate.Decision.Denied;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FaultProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A service that is killed, silent, slow, and back again. */
class ServiceOutageTest {
  private static final Duration DEADLINE = Duration.ofMillis(200);
  private static final Duration PATIENT = Duration.ofSeconds(30);
  private static final Subject CALLER = Subject.of("user", "42");

  private static final TestService SERVICE =
      TestService.with(
          Rule.named("per-user")
              .match("user", "*")
              .limit(FixedWindow.of(Rate.perDay(1_000_000)))
              .build());

  private final FaultProxy proxy = FaultProxy.to(SERVICE.port());
  private final HeadgateClient client =
      HeadgateClient.connect(
          ClientOptions.builder("http://127.0.0.1:" + proxy.port()).deadline(DEADLINE).build());

  private enum Fault {
    KILLED,
    SILENT,
    SLOW
  }

  private void begin(Fault fault) {
    switch (fault) {
      case KILLED -> proxy.refuse();
      case SILENT -> proxy.blackhole();
      case SLOW -> proxy.delay(Duration.ofSeconds(1));
    }
  }

  @AfterEach
  void disconnect() {
    client.close();
    proxy.close();
  }

  @AfterAll
  static void stop() {
    SERVICE.close();
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void failureModeDecidesUntilTheServiceIsBack(Fault fault) {
    awaitDecisionOfTheService();
    begin(fault);

    var allowed = client.checkForResult(CALLER);
    assertThat(allowed.decision()).isEqualTo(new Allowed(Allowed.UNKNOWN, Duration.ZERO));
    assertThat(allowed.source()).isEqualTo(Source.FALLBACK);
    assertThat(allowed.failure()).get().asString().contains("127.0.0.1:" + proxy.port());

    var closed = client.onFailure(FailureMode.DENY);
    assertThat(closed.check(CALLER)).isEqualTo(new Denied(HeadgateClient.FAILURE_RETRY));
    assertThat(closed.acquire(CALLER).isAllowed()).isFalse();
    assertThatThrownBy(() -> client.onFailure(FailureMode.THROW).check(CALLER))
        .isInstanceOf(HeadgateException.class);

    proxy.pass();
    awaitDecisionOfTheService();
  }

  private void awaitDecisionOfTheService() {
    Eventually.holds(
        "the service decides",
        PATIENT,
        () -> client.checkForResult(CALLER).source() == Source.STORE);
  }

  @Test
  void deadlineIsPerCall() {
    proxy.delay(Duration.ofMillis(300));
    assertThat(client.within(Duration.ofMillis(50)).checkForResult(CALLER).failure()).isPresent();
    assertThat(client.within(PATIENT).checkForResult(CALLER).failure()).isEmpty();
  }

  @Test
  void unavailableServiceCostsNoWaitAfterSomeFailures() {
    proxy.blackhole();
    var patient = client.within(Duration.ofMillis(30));
    for (int i = 0; i < ServiceHealth.FAILURES; i++) patient.check(CALLER);
    var slow = client.within(Duration.ofSeconds(20));
    Eventually.holds(
        "a check is decided at once",
        PATIENT,
        () -> {
          var result = slow.checkForResultAsync(Request.of(CALLER)).toCompletableFuture();
          return result.isDone() && result.join().failure().orElse("").contains("was not asked");
        });
  }

  @Test
  void requestWithoutAResponseIsNotRepeated() throws IOException {
    var received = new AtomicInteger();
    try (var listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.startVirtualThread(() -> closeEachAfterItsRequest(listener, received));
      try (var asked =
          HeadgateClient.connect(
              ClientOptions.builder("http://127.0.0.1:" + listener.getLocalPort())
                  .deadline(PATIENT)
                  .failureMode(FailureMode.DENY)
                  .build())) {
        for (int i = 1; i <= 3; i++) {
          assertThat(asked.check(CALLER).isAllowed()).isFalse();
          assertThat(received).hasValue(i);
        }
      }
    }
  }

  private static void closeEachAfterItsRequest(ServerSocket listener, AtomicInteger received) {
    while (true) {
      try (var connection = listener.accept()) {
        var in = connection.getInputStream();
        var text = new StringBuilder();
        while (!text.toString().endsWith("}}")) text.append((char) in.read());
        received.incrementAndGet();
      } catch (IOException e) {
        return; // the test is over
      }
    }
  }
}
