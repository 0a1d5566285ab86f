package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.Costs;
import io.headgate.Decision.Allowed;
import io.headgate.Decision.Denied;
import io.headgate.client.RemoteReservationState.Cancelled;
import io.headgate.client.RemoteReservationState.Fallback;
import io.headgate.client.RemoteReservationState.Open;
import io.headgate.client.RemoteReservationState.Settled;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reservations while the service is unavailable, or its responses are lost. */
class ReservationOutageTest {
  private static final Duration PATIENT = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration TTL = Duration.ofMinutes(1);

  private static final TestService SERVICE =
      TestService.with(
          Rule.named("model")
              .match("team", "*")
              .limit(RuleLimit.of("tokens", FixedWindow.of(Rate.perDay(1_000))).withCost("tokens"))
              .build());

  private final FaultProxy proxy = FaultProxy.to(SERVICE.port());
  private final HeadgateClient client =
      HeadgateClient.connect(
          ClientOptions.builder("http://127.0.0.1:" + proxy.port()).deadline(PATIENT).build());

  @AfterEach
  void disconnect() {
    client.close();
    proxy.close();
  }

  @AfterAll
  static void stop() {
    SERVICE.close();
  }

  private static Costs tokens(long tokens) {
    return Costs.of("tokens", tokens);
  }

  private static long left(Subject team) {
    return SERVICE.limiter().peek(team).limits().getFirst().remaining();
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void reservationUnderFailOpenIsMarkedAndHoldsNothing() {
    var team = Subject.of("team", "fail-open");
    proxy.refuse();
    try (var reservation = client.reserve(team, tokens(600), TTL)) {
      assertThat(reservation.decision()).isEqualTo(new Allowed(Allowed.UNKNOWN, Duration.ZERO));
      assertThat(reservation.result().source()).isEqualTo(Source.FALLBACK);
      assertThat(reservation.result().failure())
          .get()
          .asString()
          .contains("127.0.0.1:" + proxy.port());
      assertThat(reservation.id()).isEmpty();
      assertThat(reservation.reserved()).isEqualTo(Costs.NONE);
      assertThat(reservation.toString()).contains("FALLBACK", "id=none");
      proxy.pass();
      long connections = proxy.accepted();
      for (var state :
          List.of(
              reservation.update(tokens(5_000)),
              join(reservation.updateAsync(tokens(5_000), tokens(1))),
              reservation.settle(tokens(5_000)),
              join(reservation.settleAsync(tokens(1))),
              reservation.cancel(),
              join(reservation.cancelAsync()))) {
        assertThat(state)
            .isEqualTo(new Fallback(true, reservation.result().failure().orElseThrow()));
      }
      assertThat(proxy.accepted()).isEqualTo(connections);
    }
    assertThat(left(team)).isEqualTo(1_000);
  }

  @Test
  void failureModeOfTheCallDecides() {
    var team = Subject.of("team", "fail-closed");
    proxy.refuse();
    var closed = client.onFailure(FailureMode.DENY);
    var denied = closed.reserve(team, tokens(1), TTL);
    assertThat(denied.decision()).isEqualTo(new Denied(HeadgateClient.FAILURE_RETRY));
    assertThat(denied.result().failure()).isPresent();
    assertThat(closed.charge(Request.of(team)).isAllowed()).isFalse();
    assertThat(client.charge(Request.of(team)).failure()).isPresent();
    var throwing = client.onFailure(FailureMode.THROW);
    assertThatThrownBy(() -> throwing.reserve(team, tokens(1), TTL))
        .isInstanceOf(HeadgateException.class)
        .isNotInstanceOf(RequestRejectedException.class);
    assertThatThrownBy(() -> throwing.charge(Request.of(team)))
        .isInstanceOf(HeadgateException.class);
  }

  @ParameterizedTest
  @EnumSource(FailureMode.class)
  void openReservationOutlivesAnOutage(FailureMode mode) {
    var team = Subject.of("team", "outage-" + mode);
    var reservation = client.onFailure(mode).reserve(team, tokens(600), TTL);
    proxy.refuse();
    if (mode == FailureMode.THROW) {
      assertThatThrownBy(() -> reservation.update(tokens(10)))
          .isInstanceOf(HeadgateException.class);
      assertThatThrownBy(() -> reservation.settle(tokens(10)))
          .isInstanceOf(HeadgateException.class);
      assertThatThrownBy(reservation::cancel).isInstanceOf(HeadgateException.class);
    } else {
      boolean open = mode == FailureMode.ALLOW;
      assertThat(reservation.update(tokens(10)).mayContinue()).isEqualTo(open);
      assertThat(reservation.settle(tokens(10)))
          .isInstanceOfSatisfying(
              Fallback.class,
              fallback -> {
                assertThat(fallback.mayContinue()).isEqualTo(open);
                assertThat(fallback.failure()).contains("127.0.0.1:" + proxy.port());
                assertThat(fallback.failure()).doesNotContain(reservation.id().orElseThrow());
              });
    }
    assertThat(left(team)).isEqualTo(400);
    proxy.pass();
    assertThat(reservation.settle(tokens(10))).isEqualTo(new Settled(tokens(10), tokens(590)));
    assertThat(left(team)).isEqualTo(990);
  }

  /** Closing must not return what the settlement, which may be on its way, charges. */
  @Test
  void closingAfterAFailedSettlementDoesNotCancel() {
    var team = Subject.of("team", "failed-settlement");
    try (var reservation = client.reserve(team, tokens(600), TTL)) {
      proxy.refuse();
      assertThat(reservation.settle(tokens(500))).isInstanceOf(Fallback.class);
      proxy.pass();
    }
    assertThat(left(team)).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void settlementWhoseResponseIsLostIsRepeatedAndChargedOnce(boolean async) {
    var team = Subject.of("team", "lost-" + async);
    var reservation = client.onFailure(FailureMode.THROW).reserve(team, tokens(600), TTL);
    proxy.loseReplies();
    var settlement = reservation.settleAsync(tokens(350));
    Eventually.holds("the service has settled", PATIENT, () -> left(team) == 650);
    assertThat(settlement.toCompletableFuture()).isNotDone();
    proxy.cut();
    proxy.pass();
    assertThat(join(settlement)).isEqualTo(new Settled(tokens(350), tokens(250)));
    assertThat(left(team)).isEqualTo(650);
    var again = async ? join(reservation.settleAsync(tokens(1))) : reservation.settle(tokens(1));
    assertThat(again).isEqualTo(new Settled(tokens(350), tokens(250)));
  }

  @Test
  void cancellationWhoseResponseIsLostIsRepeated() {
    var team = Subject.of("team", "lost-cancellation");
    var reservation = client.onFailure(FailureMode.THROW).reserve(team, tokens(600), TTL);
    proxy.loseReplies();
    var cancellation = reservation.cancelAsync();
    Eventually.holds("the service has cancelled", PATIENT, () -> left(team) == 1_000);
    proxy.cut();
    proxy.pass();
    assertThat(join(cancellation)).isEqualTo(new Cancelled());
    assertThat(left(team)).isEqualTo(1_000);
  }

  @Test
  void responsesThatChargeAreNotRepeatedIfTheyAreLost() {
    var team = Subject.of("team", "lost-charges");
    proxy.loseReplies();
    var charge = client.chargeAsync(new Request(team, 1, Map.of("tokens", 100L)));
    Eventually.holds("the service has charged", PATIENT, () -> left(team) == 900);
    proxy.cut();
    proxy.pass();
    assertThat(join(charge).failure()).isPresent();
    assertThat(left(team)).isEqualTo(900);

    var reservation = client.reserve(team, tokens(100), TTL);
    proxy.loseReplies();
    var update = reservation.updateAsync(tokens(100), tokens(200));
    Eventually.holds("the service has added permits", PATIENT, () -> left(team) == 600);
    proxy.cut();
    proxy.pass();
    assertThat(join(update)).isInstanceOf(Fallback.class);
    assertThat(left(team)).isEqualTo(600);
    assertThat(reservation.update(tokens(100)))
        .isInstanceOfSatisfying(
            Open.class, open -> assertThat(open.reserved()).isEqualTo(tokens(200)));
    assertThat(reservation.cancel()).isEqualTo(new Cancelled());
    assertThat(left(team)).isEqualTo(900);
  }

  @Test
  void reservationWhoseResponseIsLostIsNotRepeatedAndExpires() {
    var team = Subject.of("team", "lost-reservation");
    proxy.loseReplies();
    var lost = client.reserveAsync(team, tokens(600), Duration.ofSeconds(1));
    Eventually.holds("the service has reserved", PATIENT, () -> left(team) == 400);
    proxy.cut();
    proxy.pass();
    assertThat(join(lost).id()).isEmpty();
    assertThat(join(lost).result().failure()).isPresent();
    Eventually.holds("the reservation expires", PATIENT, () -> left(team) == 1_000);
  }

  @Test
  void silentServiceEndsAtTheDeadline() {
    var team = Subject.of("team", "silent");
    var id = client.reserve(team, tokens(600), TTL).id().orElseThrow();
    proxy.blackhole();
    var hasty = client.within(SHORT);
    assertThat(hasty.reserve(team, tokens(1), TTL).result().failure())
        .get()
        .asString()
        .contains("deadline");
    assertThat(hasty.reservations().update(id, tokens(1), Costs.NONE))
        .isInstanceOfSatisfying(
            Fallback.class, fallback -> assertThat(fallback.mayContinue()).isTrue());
    assertThat(hasty.reservations().settle(id, tokens(1))).isInstanceOf(Fallback.class);
    assertThat(hasty.reservations().cancel(id)).isInstanceOf(Fallback.class);
  }
}
