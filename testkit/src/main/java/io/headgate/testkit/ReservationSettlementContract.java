package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision;
import io.headgate.Reservation;
import io.headgate.ReservedLimit;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.ReservationSettings.Excess;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How reservations are made, settled, cancelled and closed in every store that keeps them. */
abstract class ReservationSettlementContract extends UsageContract {
  @ParameterizedTest
  @MethodSource("correctable")
  void settlementReturnsTheUnusedPermitsAtOnce(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(800));
    assertThat(reservation.isAllowed()).isTrue();
    assertThat(reservation.reserved("tokens")).isEqualTo(OptionalLong.of(800));
    assertThat(left(limiter)).isEqualTo(200);
    assertThat(limiter.check(tokens(300)).isAllowed()).isFalse();
    assertThat(charged(reservation.settle(used(100)))).containsExactly(100L);
    assertThat(left(limiter)).isEqualTo(900);
    assertThat(limiter.reservations().openCount()).isZero();
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void costAboveTheReservationBecomesDebt(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(100));
    assertThat(charged(reservation.settle(used(1_500)))).containsExactly(1_500L);
    assertThat(left(limiter)).isZero();
    var denied = (Decision.Denied) limiter.check(tokens(1));
    assertThat(denied.retryAfter()).isPositive();
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void settlingTwiceChargesOnceAndAnswersTheSame(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(500));
    var first = reservation.settle(used(200));
    assertThat(reservation.settle(used(200))).isEqualTo(first);
    assertThat(charged(reservation.settle(used(900)))).containsExactly(200L);
    assertThat(charged(limiter.reservations().cancel(id(reservation)))).containsExactly(200L);
    assertThat(left(limiter)).isEqualTo(800);
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void cancellationReturnsEverything(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(500));
    assertThat(charged(reservation.cancel())).containsExactly(0L);
    assertThat(left(limiter)).isEqualTo(1_000);
  }

  @Test
  void closeWithoutUsageReturnsEverything() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    try (var reservation = limiter.reserve(tokens(500))) {
      assertThat(reservation.isAllowed()).isTrue();
    }
    assertThat(left(limiter)).isEqualTo(1_000);
  }

  @Test
  void closeChargesTheUsageThatWasReported() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    try (var reservation = limiter.reserve(tokens(500))) {
      reservation.update(used(70));
    }
    assertThat(left(limiter)).isEqualTo(930);
  }

  @Test
  void closeAfterSettlementChangesNothing() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    try (var reservation = limiter.reserve(tokens(500))) {
      reservation.settle(used(80));
    }
    assertThat(left(limiter)).isEqualTo(920);
  }

  @Test
  void deniedReservationHoldsNothingAndHasNoId() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    limiter.reserve(tokens(900));
    var denied = limiter.reserve(tokens(200));
    assertThat(denied.isAllowed()).isFalse();
    assertThat(denied.id()).isEmpty();
    assertThat(denied.limits()).isEmpty();
    assertThat(left(limiter)).isEqualTo(100);
    denied.close();
    assertThat(left(limiter)).isEqualTo(100);
  }

  @Test
  void allLimitsOfAllRulesAreReservedOrNone() {
    var requests =
        Rule.named("requests").match("key", "*").limit(TokenBucket.of(Rate.of(10, HOUR))).build();
    var team =
        Rule.named("team")
            .match("team", "*")
            .limit(RuleLimit.of("tokens", FixedWindow.of(Rate.of(1_000, HOUR))).withCost("tokens"))
            .build();
    var limiter = limiter(requests, team, tokens(SlidingWindow.of(Rate.of(600, HOUR))).build());
    var subject = Subject.of(Map.of("key", "user:1", "team", "blue"));
    var first = limiter.reserve(new Request(subject, 1, Map.of("tokens", 500L)));
    assertThat(first.limits()).extracting(ReservedLimit::charged).containsExactly(1L, 500L, 500L);
    assertThat(limiter.reserve(new Request(subject, 1, Map.of("tokens", 200L))).isAllowed())
        .isFalse();
    assertThat(remaining(limiter, subject)).containsExactly(9L, 500L, 100L);
    // The plain cost is not reported, so the request stays charged.
    assertThat(charged(first.settle(used(50)))).containsExactly(1L, 50L, 50L);
    assertThat(remaining(limiter, subject)).containsExactly(9L, 950L, 550L);
    var second = limiter.reserve(new Request(subject, 1, Map.of("tokens", 200L)));
    second.cancel();
    assertThat(remaining(limiter, subject)).containsExactly(9L, 950L, 550L);
  }

  @Test
  void manyReservationsCanBeOpenOnOneCounter() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    var open = Stream.generate(() -> limiter.reserve(tokens(4))).limit(250).toList();
    assertThat(open).allMatch(Reservation::isAllowed);
    assertThat(limiter.reserve(tokens(1)).isAllowed()).isFalse();
    assertThat(limiter.reservations().openCount()).isEqualTo(250);
    open.forEach(reservation -> reservation.settle(used(1)));
    assertThat(left(limiter)).isEqualTo(750);
  }

  @Test
  void requestWithoutTheCostReservesTheDefault() {
    var settings = ReservationSettings.DEFAULT.withDefaultCost(300);
    var limiter =
        limiter(tokens(FixedWindow.of(Rate.of(1_000, HOUR))).reservation(settings).build());
    var reservation = limiter.reserve(Request.of(USER));
    assertThat(reservation.reserved("tokens")).hasValue(300);
    var other = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    assertThat(other.reserve(Request.of(USER)).reserved("tokens")).hasValue(1);
  }

  @Test
  void estimateAboveTheShareIsClampedAndSaysSo() {
    var settings = ReservationSettings.DEFAULT.withMaxShare(500);
    var limiter =
        limiter(tokens(FixedWindow.of(Rate.of(1_000, HOUR))).reservation(settings).build());
    var reservation = limiter.reserve(tokens(4_000));
    assertThat(reservation.reserved("tokens")).hasValue(500);
    var limit = reservation.limits().getFirst();
    assertThat(limit.requested()).isEqualTo(4_000);
    assertThat(limit.charged()).isEqualTo(500);
    assertThat(limit.isClamped()).isTrue();
    assertThat(left(limiter)).isEqualTo(500);
  }

  @Test
  void estimateAboveTheShareIsRefusedIfTheRuleSaysSo() {
    var settings = ReservationSettings.DEFAULT.withMaxShare(500).withExcess(Excess.REFUSE);
    var limiter =
        limiter(tokens(FixedWindow.of(Rate.of(1_000, HOUR))).reservation(settings).build());
    var refused = limiter.reserve(tokens(501));
    assertThat(refused.decision()).isEqualTo(new Decision.Impossible(501, 500));
    assertThat(refused.id()).isEmpty();
    assertThat(left(limiter)).isEqualTo(1_000);
    assertThat(limiter.reserve(tokens(500)).isAllowed()).isTrue();
  }

  @Test
  void shadowRuleNeverRefusesAReservation() {
    var shadow =
        tokens(FixedWindow.of(Rate.of(100, HOUR)))
            .mode(Mode.SHADOW)
            .reservation(ReservationSettings.DEFAULT.withExcess(Excess.REFUSE))
            .build();
    var limiter = limiter(shadow);
    assertThat(limiter.reserve(tokens(5_000)).isAllowed()).isTrue();
    assertThat(limiter.reserve(tokens(100)).isAllowed()).isTrue();
  }
}
