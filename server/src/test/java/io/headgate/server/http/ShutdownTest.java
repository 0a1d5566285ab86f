package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ShutdownTest {
  private static final Rule REPORTS =
      Rule.named("reports")
          .match("report", "*")
          .limit(LeakyBucket.of(Rate.perSecond(2)).withQueue(100))
          .build();
  private static final Subject REPORT = Subject.of("report", "pdf");
  private static final byte[] WAIT =
      RawConnection.bytes("{\"subject\":{\"report\":\"pdf\"},\"wait\":true}");

  private static long queueRemaining(RunningService service) {
    return service.limiter.peek(Request.of(REPORT, 0)).limit().orElseThrow().remaining();
  }

  @Test
  void acceptedRequestsAreAnsweredIncludingDelayedOnes() throws Exception {
    try (var service = RunningService.withGrace(Duration.ofSeconds(20), REPORTS)) {
      var connections = new ArrayList<RawConnection>();
      for (int i = 0; i < 5; i++) {
        connections.add(service.connect());
        connections.get(i).sendPost("/v1/check", WAIT);
      }
      await().until(() -> queueRemaining(service) == 96);
      var stopped = CompletableFuture.runAsync(service::stop);
      for (var connection : connections) {
        var answer = connection.read();
        assertThat(answer.status()).isEqualTo(200);
        connection.close();
      }
      stopped.get(20, TimeUnit.SECONDS);
      assertThatThrownBy(service::connect).isInstanceOf(UncheckedIOException.class);
    }
  }

  @Test
  void whileStoppingItIsNotReadyAndClosesConnections() throws Exception {
    try (var service = RunningService.withGrace(Duration.ofSeconds(20), REPORTS);
        var connection = service.connect()) {
      // A request in progress when the service stops, and complete only later.
      connection.send(RawConnection.head("GET /health/ready", "Content-Length: 2"));
      connection.send(RawConnection.bytes("{"));
      var stopped = CompletableFuture.runAsync(service::stop);
      await().until(() -> isRefused(service));
      connection.send(RawConnection.bytes("}"));
      var answer = connection.read();
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.body()).startsWith("{\"status\":\"stopping\",\"rules\":1,");
      assertThat(answer.header("Connection")).isEqualTo("close");
      assertThat(connection.isClosedByServer()).isTrue();
      stopped.get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void gracePeriodEndsRequestsDelayedBeyondIt() throws Exception {
    try (var service = RunningService.withGrace(Duration.ofMillis(500), REPORTS)) {
      service.limiter.check(Request.of(REPORT, 50));
      try (var connection = service.connect()) {
        connection.sendPost("/v1/check", WAIT);
        await().until(() -> queueRemaining(service) == 50);
        CompletableFuture.runAsync(service::stop).get(20, TimeUnit.SECONDS);
        assertThat(connection.isClosedByServer()).isTrue();
      }
    }
  }

  @Test
  void idleServiceStops() throws Exception {
    try (var service = RunningService.withGrace(Duration.ofSeconds(20), REPORTS);
        var idle = service.connect()) {
      assertThat(idle.request("GET", "/health/live").status()).isEqualTo(200);
      CompletableFuture.runAsync(service::stop).get(20, TimeUnit.SECONDS);
      assertThat(idle.isClosedByServer()).isTrue();
    }
  }

  private static boolean isRefused(RunningService service) {
    try (var probe = service.connect()) {
      return probe.request("GET", "/health/ready").status() == 503;
    } catch (UncheckedIOException e) {
      return true;
    }
  }
}
