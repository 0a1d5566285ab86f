package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.Costs;
import io.headgate.Decision;
import io.headgate.Decision.Denied;
import io.headgate.client.RemoteReservationState.Cancelled;
import io.headgate.client.RemoteReservationState.Expired;
import io.headgate.client.RemoteReservationState.Open;
import io.headgate.client.RemoteReservationState.Settled;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.ReservationSettings.Excess;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Reservations at the real service. */
class RemoteReservationTest {
  private static final Duration PATIENT = Duration.ofSeconds(30);
  private static final Duration TTL = Duration.ofMinutes(1);

  private static final TestService SERVICE =
      TestService.with(
          tokens("model", "team").build(),
          tokens("shared", "shared")
              .reservation(ReservationSettings.DEFAULT.withMaxShare(500))
              .build(),
          tokens("strict", "strict")
              .reservation(ReservationSettings.DEFAULT.withMaxShare(500).withExcess(Excess.REFUSE))
              .build(),
          Rule.named("requests").match("user", "*").limit(window(10)).build());

  private static final HeadgateClient CLIENT = connected();

  private static HeadgateClient connected() {
    return HeadgateClient.connect(
        ClientOptions.builder(SERVICE.url())
            .deadline(PATIENT)
            .failureMode(FailureMode.THROW)
            .build());
  }

  private static Rule.Builder tokens(String name, String attribute) {
    return Rule.named(name)
        .match(attribute, "*")
        .limits(
            List.of(
                RuleLimit.of("requests", window(100)),
                RuleLimit.of("tokens", window(1_000)).withCost("tokens")));
  }

  private static FixedWindow window(long permits) {
    return FixedWindow.of(Rate.perDay(permits));
  }

  @AfterAll
  static void stop() {
    CLIENT.close();
    SERVICE.close();
  }

  private static Subject team(String name) {
    return Subject.of("team", name);
  }

  private static Costs tokens(long tokens) {
    return Costs.of("tokens", tokens);
  }

  private static Costs both(long requests, long tokens) {
    return new Costs(OptionalLong.of(requests), Map.of("tokens", tokens));
  }

  private static RemoteReservation reserve(Subject subject, long tokens) {
    return CLIENT.reserve(subject, tokens(tokens), TTL);
  }

  /** Returns the permits of a limit that are left, by the service itself. */
  private static long left(Subject subject, String limit) {
    return SERVICE.limiter().peek(subject).limits().stream()
        .filter(report -> report.name().equals(limit))
        .mapToLong(report -> report.remaining())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void settlementReturnsTheRestAtOnce() {
    var team = team("settled");
    var reservation = reserve(team, 600);
    assertThat(reservation.isAllowed()).isTrue();
    assertThat(reservation.reserved()).isEqualTo(both(1, 600));
    assertThat(reservation.reserved("tokens")).hasValue(600);
    assertThat(reservation.reserved("bytes")).isEmpty();
    assertThat(reservation.requested()).isEqualTo(reservation.reserved());
    assertThat(reservation.expiresAt().orElseThrow())
        .isBetween(Instant.now().minus(TTL), Instant.now().plus(TTL));
    assertThat(reservation.result().rule()).contains("model");
    assertThat(reservation.result().source()).isEqualTo(Source.STORE);
    assertThat(reservation.result().failure()).isEmpty();
    assertThat(reservation.result().slotId()).isEmpty();
    assertThat(left(team, "tokens")).isEqualTo(400);
    assertThat(reserve(team, 900).isAllowed()).isFalse();

    assertThat(reservation.settle(tokens(50))).isEqualTo(new Settled(both(1, 50), both(0, 550)));
    assertThat(left(team, "tokens")).isEqualTo(950);
    assertThat(reserve(team, 900).isAllowed()).isTrue();
  }

  @Test
  void settlingTwiceHasTheSameAnswerAndChargesOnce() {
    var team = team("twice");
    var reservation = reserve(team, 600);
    var first = reservation.settle(tokens(350));
    assertThat(reservation.settle(tokens(350))).isEqualTo(first);
    assertThat(reservation.settle(tokens(1))).isEqualTo(first);
    assertThat(reservation.cancel()).isEqualTo(new Cancelled());
    assertThat(reservation.update(tokens(1))).isEqualTo(new Settled(both(1, 350), Costs.NONE));
    assertThat(left(team, "tokens")).isEqualTo(650);
    assertThat(left(team, "requests")).isEqualTo(99);
  }

  @Test
  void updateStopsTheRequestWhenNothingIsLeft() {
    var team = team("updated");
    var reservation = reserve(team, 600);
    assertThat(reservation.update(tokens(200)))
        .isInstanceOfSatisfying(
            Open.class,
            open -> {
              assertThat(open.mayContinue()).isTrue();
              assertThat(open.grown()).isFalse();
              assertThat(open.reserved().cost("tokens")).hasValue(400);
              assertThat(open.expiresAt()).isAfter(Instant.now().minus(TTL));
            });
    var grown = reservation.update(tokens(600), tokens(100));
    assertThat(grown)
        .isInstanceOfSatisfying(
            Open.class,
            open -> {
              assertThat(open.grown()).isTrue();
              assertThat(open.reserved().cost("tokens")).hasValue(100);
            });
    assertThat(grown.mayContinue()).isTrue();
    var tooMany = reservation.update(tokens(700), tokens(301));
    assertThat(tooMany)
        .isInstanceOfSatisfying(Open.class, open -> assertThat(open.grown()).isFalse());

    assertThat(reservation.update(tokens(1_000)).mayContinue()).isFalse();
    assertThat(reservation.settle(tokens(1_000)).mayContinue()).isFalse();
    assertThat(left(team, "tokens")).isZero();
  }

  @Test
  void closingWithoutASettlementCancels() {
    var team = team("closed");
    try (var reservation = reserve(team, 600)) {
      assertThat(reservation.isAllowed()).isTrue();
      assertThat(left(team, "tokens")).isEqualTo(400);
    }
    assertThat(left(team, "tokens")).isEqualTo(1_000);
    assertThat(left(team, "requests")).isEqualTo(100);
  }

  @Test
  void closingChargesTheUsageThatWasReported() {
    var team = team("reported");
    try (var reservation = reserve(team, 600)) {
      assertThat(reservation.update(tokens(150)).mayContinue()).isTrue();
    }
    assertThat(left(team, "tokens")).isEqualTo(850);
  }

  @Test
  void closingAfterASettlementChangesNothing() {
    var team = team("settled-and-closed");
    try (var reservation = reserve(team, 600)) {
      assertThat(reservation.update(tokens(500)).mayContinue()).isTrue();
      assertThat(reservation.settle(tokens(100))).isInstanceOf(Settled.class);
    }
    assertThat(left(team, "tokens")).isEqualTo(900);
  }

  @Test
  void deniedReservationHoldsNothing() {
    var team = team("denied");
    var first = reserve(team, 1_000);
    try (var denied = reserve(team, 1)) {
      assertThat(denied.isAllowed()).isFalse();
      assertThat(denied.decision()).isInstanceOf(Denied.class);
      assertThat(denied.result().violated()).isNotEmpty();
      assertThat(denied.id()).isEmpty();
      assertThat(denied.expiresAt()).isEmpty();
      assertThat(denied.reserved()).isEqualTo(Costs.NONE);
      assertThatThrownBy(() -> denied.update(tokens(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("isAllowed");
      assertThatThrownBy(() -> denied.settle(tokens(1))).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(denied::cancelAsync).isInstanceOf(IllegalStateException.class);
    }
    assertThat(first.cancel()).isEqualTo(new Cancelled());
    assertThat(left(team, "tokens")).isEqualTo(1_000);
  }

  @Test
  void estimateAboveTheShareIsReducedOrImpossible() {
    var reduced = CLIENT.reserve(Subject.of("shared", "a"), tokens(900), TTL);
    assertThat(reduced.reserved("tokens")).hasValue(500);
    assertThat(reduced.requested().cost("tokens")).hasValue(900);
    assertThat(CLIENT.reserve(Subject.of("strict", "a"), tokens(900), TTL).decision())
        .isInstanceOfSatisfying(
            Decision.Impossible.class, impossible -> assertThat(impossible.cost()).isEqualTo(900));
  }

  @Test
  void plainCostsAreReservedAndSettled() {
    var user = Subject.of("user", "plain");
    var reservation = CLIENT.reserve(Request.of(user, 7));
    assertThat(reservation.reserved()).isEqualTo(Costs.plain(7));
    assertThat(reservation.settle(Costs.plain(2)))
        .isEqualTo(new Settled(Costs.plain(2), Costs.plain(5)));
    assertThat(left(user, "requests")).isEqualTo(8);
    assertThatThrownBy(() -> reservation.update(Costs.NONE, Costs.plain(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("named costs");
  }

  @Test
  void requestThatNoRuleMatchesIsReserved() {
    try (var reservation = CLIENT.reserve(Request.of(Subject.of("nothing")))) {
      assertThat(reservation.isAllowed()).isTrue();
      assertThat(reservation.update(tokens(5)).mayContinue()).isTrue();
      assertThat(reservation.settle(tokens(5))).isEqualTo(new Settled(Costs.NONE, Costs.NONE));
    }
  }

  @Test
  void asynchronousFormsDoTheSame() {
    var team = team("async");
    var reservation = CLIENT.reserveAsync(team, tokens(600), TTL).toCompletableFuture().join();
    var id = reservation.id().orElseThrow();
    var reservations = CLIENT.reservations();
    assertThat(reservation.updateAsync(tokens(100), Costs.NONE).toCompletableFuture().join())
        .isInstanceOf(Open.class);
    assertThat(
            reservations
                .updateAsync(id, tokens(100), tokens(50), Duration.ofSeconds(5))
                .toCompletableFuture()
                .join()
                .mayContinue())
        .isTrue();
    assertThat(reservation.settleAsync(tokens(350)).toCompletableFuture().join())
        .isEqualTo(new Settled(both(1, 350), both(0, 300)));
    assertThat(reservations.settleAsync(id, tokens(350)).toCompletableFuture().join())
        .isEqualTo(new Settled(both(1, 350), both(0, 300)));
    assertThat(left(team, "tokens")).isEqualTo(650);

    var cancelled =
        CLIENT
            .reserveAsync(new Request(team, 1, Map.of("tokens", 600L)))
            .thenCompose(RemoteReservation::cancelAsync);
    assertThat(cancelled.toCompletableFuture().join()).isEqualTo(new Cancelled());
    assertThat(left(team, "tokens")).isEqualTo(650);
  }

  @Test
  void anotherClientSettlesById() {
    var team = team("handed-over");
    var id = reserve(team, 600).id().orElseThrow();
    try (var other = connected()) {
      assertThat(other.reservations().update(id, tokens(10), Costs.NONE).mayContinue()).isTrue();
      assertThat(other.reservations().settle(id, tokens(20))).isInstanceOf(Settled.class);
      assertThat(other.reservations().cancel(id)).isEqualTo(new Cancelled());
    }
    assertThat(left(team, "tokens")).isEqualTo(980);
  }

  @Test
  void expiredReservationStopsTheRequestAndCanBeSettled() {
    var team = team("expired");
    var reservation = CLIENT.reserve(team, tokens(600), Duration.ofSeconds(1));
    Eventually.holds("the reservation expires", PATIENT, () -> left(team, "tokens") == 1_000);
    var state = reservation.update(tokens(40));
    assertThat(state).isEqualTo(new Expired(both(1, 0)));
    assertThat(state.mayContinue()).isFalse();
    assertThat(reservation.settle(tokens(40))).isInstanceOf(Settled.class);
    assertThat(left(team, "tokens")).isEqualTo(960);
  }

  @Test
  void chargeCountsUsageBeyondTheLimit() {
    var team = team("charged");
    var result = CLIENT.charge(new Request(team, 1, Map.of("tokens", 1_200L)));
    assertThat(result.isAllowed()).isTrue();
    assertThat(result.failure()).isEmpty();
    assertThat(reserve(team, 1).isAllowed()).isFalse();
    var user = Subject.of("user", "charged");
    assertThat(CLIENT.chargeAsync(Request.of(user, 4)).toCompletableFuture().join().rule())
        .contains("requests");
    assertThat(left(user, "requests")).isEqualTo(6);
  }
}
