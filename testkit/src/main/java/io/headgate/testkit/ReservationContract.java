package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.ReservationState.Settled;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
public abstract class ReservationContract extends ReservationDebtContract {
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

  @ParameterizedTest
  @MethodSource("correctable")
  void reservationFromBeforeAResetReturnsNothing(Limit limit) {
    var limiter = limiter(limit);
    var reservation = limiter.reserve(tokens(800));
    var updated = limiter.reserve(tokens(100));
    updated.update(used(10));
    assertThat(limiter.reset(USER, "tokens")).isTrue();
    assertThat(left(limiter)).isEqualTo(1_000);
    clock.advance(Duration.ofSeconds(2));
    assertThat(limiter.check(tokens(1_000)).isAllowed()).isTrue();
    reservation.settle(used(100));
    updated.cancel();
    assertThat(left(limiter)).isZero();
    assertThat(charged(reservation.settle(used(100)))).containsExactly(100L);
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void reservationFromAfterAResetReturnsItsUnusedPermits(Limit limit) {
    var limiter = limiter(limit);
    var before = limiter.reserve(tokens(800));
    limiter.reset(USER, "tokens");
    clock.advance(Duration.ofSeconds(2));
    var after = limiter.reserve(tokens(900));
    before.cancel();
    assertThat(left(limiter)).isEqualTo(100);
    after.settle(used(100));
    assertThat(left(limiter)).isEqualTo(900);
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
