package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Costs;
import io.headgate.Decision;
import io.headgate.RateLimiter;
import io.headgate.Reservation;
import io.headgate.ReservationState;
import io.headgate.ReservationState.Expired;
import io.headgate.ReservationState.Open;
import io.headgate.ReservationState.Settled;
import io.headgate.ReservationState.Unknown;
import io.headgate.ReservedLimit;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.ReservationSettings.Excess;
import io.headgate.rule.ReservationSettings.OnExpiry;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The behaviour required of every store that keeps reservations. The clock is manual, so that every
 * amount is exact.
 */
public abstract class ReservationContract extends StoreScenario {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Subject USER = Subject.of("user:1");

  /** The limits whose charges follow the real cost, each of 1,000 permits. */
  static Stream<Limit> correctable() {
    return Stream.of(
        TokenBucket.of(Rate.of(1_000, HOUR)),
        FixedWindow.of(Rate.of(1_000, HOUR)),
        SlidingWindow.of(Rate.of(1_000, HOUR)));
  }

  /** Returns a limiter with one rule that spends tokens. */
  private RateLimiter limiter(Limit limit) {
    return limiter(tokens(limit).build());
  }

  private RateLimiter limiter(Rule... rules) {
    return RateLimiter.with(open(), RuleSet.of(rules), clock);
  }

  private static Rule.Builder tokens(Limit limit) {
    return Rule.named("tokens")
        .match("key", "*")
        .limit(RuleLimit.of("tokens", limit).withCost("tokens"));
  }

  private static Request tokens(long count) {
    return new Request(USER, 1, Map.of("tokens", count));
  }

  private static Costs used(long count) {
    return Costs.of("tokens", count);
  }

  private static long left(RateLimiter limiter) {
    return limiter.peek(tokens(1)).limits().getFirst().remaining();
  }

  private static String id(Reservation reservation) {
    return reservation.id().orElseThrow();
  }

  private static List<Long> charged(ReservationState state) {
    return limits(state).stream().map(ReservedLimit::charged).toList();
  }

  private static List<ReservedLimit> limits(ReservationState state) {
    return switch (state) {
      case Open open -> open.limits();
      case Settled settled -> settled.limits();
      case Expired expired -> expired.limits();
      case ReservationState.Local local -> List.of();
      case Unknown unknown -> List.of();
    };
  }

  private static int expire(RateLimiter limiter) {
    return limiter.reservations().expireDue().toCompletableFuture().join();
  }

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

  private static List<Long> remaining(RateLimiter limiter, Subject subject) {
    return limiter.peek(new Request(subject, 1, Map.of("tokens", 1L))).limits().stream()
        .map(limit -> limit.remaining())
        .toList();
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

  @ParameterizedTest
  @MethodSource("correctable")
  void updateRecordsUsageAndExtendsTheExpiry(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(500), Duration.ofSeconds(10));
    clock.advance(Duration.ofSeconds(8));
    var open = (Open) reservation.update(used(100));
    assertThat(open.mayContinue()).isTrue();
    assertThat(charged(open)).containsExactly(500L);
    assertThat(open.expiresAt()).isEqualTo(reservation.expiresAt().orElseThrow().plusSeconds(8));
    clock.advance(Duration.ofSeconds(9));
    assertThat(expire(limiter)).isZero();
    clock.advance(Duration.ofSeconds(2));
    assertThat(expire(limiter)).isEqualTo(1);
    assertThat(expire(limiter)).isZero();
    assertThat(charged(reservation.update(used(200)))).containsExactly(100L);
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void usageBeyondTheReservationIsChargedAtOnce(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(100));
    assertThat(charged(reservation.update(used(250)))).containsExactly(250L);
    assertThat(left(limiter)).isEqualTo(750);
    assertThat(charged(reservation.settle(used(180)))).containsExactly(180L);
    assertThat(left(limiter)).isEqualTo(820);
  }

  @Test
  void updateSaysStopWhenNothingIsLeft() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    var reservation = limiter.reserve(tokens(400));
    var other = limiter.reserve(tokens(600));
    assertThat(reservation.update(used(399)).mayContinue()).isTrue();
    assertThat(reservation.update(used(400)).mayContinue()).isFalse();
    other.settle(used(500));
    assertThat(reservation.update(used(400)).mayContinue()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void updateGrowsTheReservationIfThereIsRoom(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(300));
    limiter.reserve(tokens(300));
    var grown = (Open) reservation.update(used(250), used(300));
    assertThat(grown.grown()).isTrue();
    assertThat(charged(grown)).containsExactly(600L);
    var kept = (Open) reservation.update(used(260), used(101));
    assertThat(kept.grown()).isFalse();
    assertThat(charged(kept)).containsExactly(600L);
    assertThat(left(limiter)).isEqualTo(100);
    assertThat(charged(reservation.settle(used(350)))).containsExactly(350L);
    assertThat(left(limiter)).isEqualTo(350);
  }

  @Test
  void growthStaysWithinTheShare() {
    var settings = ReservationSettings.DEFAULT.withMaxShare(400);
    var limiter =
        limiter(tokens(FixedWindow.of(Rate.of(1_000, HOUR))).reservation(settings).build());
    var reservation = limiter.reserve(tokens(300));
    assertThat(((Open) reservation.update(used(0), used(101))).grown()).isFalse();
    assertThat(((Open) reservation.update(used(0), used(100))).grown()).isTrue();
  }

  @Test
  void duplicateOrLateReportDoesNotLowerTheUsage() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    var reservation = limiter.reserve(tokens(300));
    reservation.update(used(200));
    reservation.update(used(100));
    clock.advance(Duration.ofSeconds(61));
    expire(limiter);
    assertThat(left(limiter)).isEqualTo(800);
  }

  @ParameterizedTest
  @EnumSource
  void expiryChargesAsTheRuleSays(OnExpiry onExpiry) {
    var settings = ReservationSettings.DEFAULT.withOnExpiry(onExpiry);
    var requests =
        Rule.named("requests")
            .match("key", "*")
            .limit(FixedWindow.of(Rate.of(1_000, HOUR)))
            .reservation(settings)
            .build();
    var limiter =
        limiter(
            tokens(FixedWindow.of(Rate.of(1_000, HOUR))).reservation(settings).build(), requests);
    limiter.reserve(tokens(100));
    limiter.reserve(tokens(100)).update(used(30));
    clock.advance(Duration.ofSeconds(60));
    assertThat(expire(limiter)).isEqualTo(2);
    assertThat(remaining(limiter, USER))
        .isEqualTo(
            switch (onExpiry) {
              case CHARGE_USED -> List.of(970L, 998L);
              case CHARGE_RESERVED -> List.of(800L, 998L);
              case RELEASE -> List.of(1_000L, 1_000L);
            });
    assertThat(limiter.reservations().openCount()).isZero();
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void settlementAfterTheExpiryCorrectsItsCharge(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(500));
    reservation.update(used(200));
    clock.advance(Duration.ofSeconds(60));
    expire(limiter);
    var before = left(limiter);
    clock.advance(Duration.ofMinutes(9));
    long refilled = left(limiter) - before;
    assertThat(charged(reservation.settle(used(350)))).containsExactly(350L);
    assertThat(left(limiter)).isEqualTo(before + refilled - 150);
    assertThat(charged(reservation.settle(used(0)))).containsExactly(350L);
  }

  @Test
  void reservationIsUnknownTenMinutesAfterItsExpiry() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    var settled = limiter.reserve(tokens(100));
    settled.settle(used(50));
    var expired = limiter.reserve(tokens(100));
    clock.advance(Duration.ofSeconds(60));
    expire(limiter);
    clock.advance(Duration.ofMinutes(10).plusSeconds(1));
    expire(limiter);
    long before = left(limiter);
    assertThat(expired.settle(used(10))).isInstanceOf(Unknown.class);
    assertThat(settled.settle(used(10))).isInstanceOf(Unknown.class);
    assertThat(left(limiter)).isEqualTo(before);
  }

  @Test
  void forgedIdsAreUnknown() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    var id = id(limiter.reserve(tokens(500)));
    var changed = (id.charAt(40) == 'A' ? 'B' : 'A') + id.substring(41);
    for (var forged :
        List.of(
            "", "x", "AAAA", id + "A", id.substring(1), id.substring(0, 40) + changed, id + "=")) {
      assertThat(limiter.reservations().settle(forged, used(1))).isInstanceOf(Unknown.class);
      assertThat(limiter.reservations().cancel(forged)).isInstanceOf(Unknown.class);
      assertThat(limiter.reservations().update(forged, used(1), Costs.NONE))
          .isInstanceOf(Unknown.class);
    }
    assertThat(left(limiter)).isEqualTo(500);
    assertThat(id).matches("[A-Za-z0-9_-]+");
    assertThat(id).doesNotContain("user");
  }

  @Test
  void slotIsHeldWithTheReservation() {
    var slots =
        Rule.named("parallel")
            .match("key", "*")
            .limit(Concurrency.of(1).withLease(Duration.ofSeconds(30)))
            .build();
    var limiter = limiter(tokens(FixedWindow.of(Rate.of(1_000, HOUR))).build(), slots);
    var first = limiter.reserve(tokens(100));
    assertThat(limiter.reserve(tokens(100)).isAllowed()).isFalse();
    clock.advance(Duration.ofSeconds(20));
    first.update(used(10));
    clock.advance(Duration.ofSeconds(20));
    assertThat(limiter.reserve(tokens(100)).isAllowed()).isFalse();
    first.settle(used(20));
    var second = limiter.reserve(tokens(100));
    assertThat(second.isAllowed()).isTrue();
    second.cancel();
    var third = limiter.reserve(tokens(100), Duration.ofSeconds(5));
    assertThat(third.isAllowed()).isTrue();
    clock.advance(Duration.ofSeconds(5));
    expire(limiter);
    assertThat(limiter.reserve(tokens(100)).isAllowed()).isTrue();
  }

  static Stream<Limit> uncorrectable() {
    return Stream.of(
        LeakyBucket.of(Rate.of(1_000, HOUR)).withQueue(999),
        RollingWindow.of(Rate.of(1_000, HOUR)));
  }

  @ParameterizedTest
  @MethodSource("uncorrectable")
  void limitThatCannotBeCorrectedIsChargedAsReservedAndSaysSo(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(300));
    assertThat(reservation.limits().getFirst().correctable()).isFalse();
    assertThat(charged(reservation.settle(used(100)))).containsExactly(300L);
    assertThat(left(limiter)).isEqualTo(700);
  }

  @Test
  void settlementUnderAChangedLimitReturnsNothing() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    var reservation = limiter.reserve(tokens(800));
    limiter.replaceRules(RuleSet.of(tokens(FixedWindow.of(Rate.of(100, HOUR))).build()));
    limiter.check(tokens(0));
    var state = reservation.settle(used(0));
    assertThat(limits(state).getFirst().correctable()).isFalse();
    assertThat(charged(state)).containsExactly(800L);
    assertThat(left(limiter)).isEqualTo(20);
  }

  @Test
  void settlementAfterTheRuleIsGoneChangesNothing() {
    var rule = tokens(FixedWindow.of(Rate.of(1_000, HOUR))).build();
    var limiter = limiter(rule);
    var reservation = limiter.reserve(tokens(800));
    limiter.replaceRules(RuleSet.of());
    assertThat(charged(reservation.settle(used(10)))).isEmpty();
    limiter.replaceRules(RuleSet.of(rule));
    assertThat(left(limiter)).isEqualTo(200);
  }

  @Test
  void windowThatHasEndedTakesNothingBack() {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    clock.set(Math.ceilDiv(clock.micros(), 3_600_000_000L) * 3_600_000_000L - 10_000_000);
    var reservation = limiter.reserve(tokens(800));
    clock.advance(Duration.ofSeconds(20));
    limiter.check(tokens(600));
    reservation.settle(used(100));
    assertThat(left(limiter)).isEqualTo(400);
  }

  @Test
  void requestWithoutLimitsCanBeReservedAndSettled() {
    var limiter = limiter(tokens(FixedWindow.of(Rate.of(1_000, HOUR))).build());
    var free = limiter.reserve(Request.of(Subject.of(Map.of("team", "blue"))));
    assertThat(free.isAllowed()).isTrue();
    assertThat(free.update(used(10)).mayContinue()).isTrue();
    assertThat(free.settle(used(10))).isEqualTo(new Settled(List.of()));
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void usageAfterTheFactIsChargedWithoutACheck(Limit limit) {
    var limiter = limiter(limit);
    assertThat(limiter.charge(tokens(400)).limits().getFirst().remaining()).isEqualTo(600);
    limiter.charge(tokens(900));
    assertThat(left(limiter)).isZero();
    assertThat(limiter.check(tokens(1)).isAllowed()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void usageOfAnyAmountIsCharged(Limit limit) {
    var limiter = limiter(limit);
    assertThat(limiter.check(tokens(1)).isAllowed()).isTrue();
    for (int i = 0; i < 2; i++) limiter.charge(tokens(Request.MAX_COST));
    assertThat(left(limiter)).isZero();
    assertThat(limiter.check(tokens(1)).isAllowed()).isFalse();
  }

  @Test
  void otherInstanceSettlesAndExpiresReservations() {
    var store = open();
    var rules = RuleSet.of(tokens(FixedWindow.of(Rate.of(1_000, HOUR))).build());
    var first = RateLimiter.with(store, rules, clock);
    var second = RateLimiter.with(store, rules, clock);
    var settled = first.reserve(tokens(300));
    first.reserve(tokens(400));
    assertThat(charged(second.reservations().settle(id(settled), used(100)))).containsExactly(100L);
    clock.advance(Duration.ofSeconds(60));
    assertThat(expire(second)).isEqualTo(1);
    assertThat(left(first)).isEqualTo(900);
  }

  @ParameterizedTest
  @EnumSource
  void concurrentReservationsNeverExceedTheLimit(ConcurrentRunner runner) throws Exception {
    var limiter = limiter(FixedWindow.of(Rate.of(1_000, HOUR)));
    int each = 1_600 / runner.size();
    long charged =
        runner.sum(thread -> {
          long sum = 0;
          for (int i = 0; i < each; i++) {
            var reservation = limiter.reserve(tokens(4));
            if (!reservation.isAllowed()) continue;
            reservation.settle(used(1));
            sum++;
          }
          return sum;
        });
    assertThat(charged).isPositive();
    assertThat(left(limiter)).isEqualTo(1_000 - charged);
    while (limiter.check(tokens(1)).isAllowed()) charged++;
    assertThat(charged).isEqualTo(1_000);
    assertThat(limiter.reservations().openCount()).isZero();
  }

  /**
   * Compares random histories with an exact model: replies are lost and repeated, clients crash,
   * and reservations expire and are settled late, by either of two instances.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void randomHistoriesAreExact(long seed) {
    var store = open();
    var rules = RuleSet.of(tokens(FixedWindow.of(Rate.of(1_000, HOUR))).build());
    var limiters =
        List.of(RateLimiter.with(store, rules, clock), RateLimiter.with(store, rules, clock));
    new ReservationHistory(limiters, clock, new Random(seed)).run(150);
  }
}
