package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision;
import io.headgate.RateLimiter;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Combine;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.ReservationSettings.Excess;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is charged for usage that is reported after the fact, and for estimates that are too high,
 * in every store that keeps reservations.
 */
abstract class UsageContract extends ReservedTokens {
  private static final ReservationSettings REFUSE =
      ReservationSettings.DEFAULT.withExcess(Excess.REFUSE);

  /** Returns a rule of two limits of 1,000 and 3,000 tokens, which refuses higher estimates. */
  private static Rule twoLimits(Combine combine, ReservationSettings settings) {
    return Rule.named("tokens")
        .match("key", "*")
        .combine(combine)
        .limit(RuleLimit.of("own", FixedWindow.of(Rate.of(1_000, HOUR))).withCost("tokens"))
        .limit(RuleLimit.of("shared", FixedWindow.of(Rate.of(3_000, HOUR))).withCost("tokens"))
        .reservation(settings)
        .build();
  }

  static Stream<Combine> everyCombination() {
    return Stream.of(
        new Combine.All(),
        new Combine.Any(),
        new Combine.Weighted(500),
        new Combine.Weighted(1_000),
        new Combine.Hierarchical(),
        new Combine.Priority());
  }

  @ParameterizedTest
  @MethodSource("everyCombination")
  void estimateThatIsTooHighIsNeverAllowedUncharged(Combine combine) {
    var limiter = limiter(twoLimits(combine, REFUSE));
    for (long estimate : List.of(2_000L, 3_500L, 800L)) {
      long before = remaining(limiter, USER).stream().mapToLong(left -> left).sum();
      var reservation = limiter.reserve(tokens(estimate));
      long after = remaining(limiter, USER).stream().mapToLong(left -> left).sum();
      assertThat(before - after > 0).as("%d", estimate).isEqualTo(reservation.isAllowed());
      assertThat(reservation.id().isPresent()).isEqualTo(reservation.isAllowed());
    }
    for (int i = 0; i < 2; i++) limiter.charge(tokens(4_000));
    limiter.charge(tokens(4_000));
    exhaust(limiter);
    for (long estimate : List.of(2_000L, 3_500L, 500L, 1L)) {
      var reservation = limiter.reserve(tokens(estimate));
      assertThat(reservation.isAllowed()).as("%d", estimate).isFalse();
      assertThat(reservation.id()).isEmpty();
    }
  }

  private static void exhaust(RateLimiter limiter) {
    while (limiter.check(tokens(100)).isAllowed()) {}
    while (limiter.check(tokens(1)).isAllowed()) {}
  }

  @Test
  void overflowTakesAnEstimateThatIsTooHighForTheFirstLimit() {
    var limiter = limiter(twoLimits(new Combine.Any(), REFUSE));
    var reservation = limiter.reserve(tokens(2_000));
    assertThat(reservation.isAllowed()).isTrue();
    assertThat(reservation.limits().getFirst().limit()).isEqualTo("shared");
    assertThat(remaining(limiter, USER)).containsExactly(1_000L, 1_000L);
    assertThat(charged(reservation.settle(used(300)))).containsExactly(300L);
    assertThat(remaining(limiter, USER)).containsExactly(1_000L, 2_700L);
    assertThat(limiter.reserve(tokens(3_001)).decision())
        .isEqualTo(new Decision.Impossible(3_001, 1_000));
  }

  @Test
  void shareOfAReservationIsRefusedUnderEveryLimitByItself() {
    var limiter = limiter(twoLimits(new Combine.Any(), REFUSE.withMaxShare(500)));
    assertThat(limiter.reserve(tokens(501)).limits().getFirst().limit()).isEqualTo("shared");
    assertThat(limiter.reserve(tokens(500)).limits().getFirst().limit()).isEqualTo("own");
    assertThat(limiter.reserve(tokens(1_501)).isAllowed()).isFalse();
    assertThat(remaining(limiter, USER)).containsExactly(500L, 2_499L);
  }

  @Test
  void weightOfAnEstimateThatIsTooHighDoesNotCount() {
    var half = limiter(twoLimits(new Combine.Weighted(500), REFUSE));
    assertThat(half.reserve(tokens(2_000)).isAllowed()).isTrue();
    assertThat(remaining(half, USER)).containsExactly(1_000L, 1_000L);
    var most = limiter(twoLimits(new Combine.Weighted(600), REFUSE));
    assertThat(most.reserve(tokens(2_000)).isAllowed()).isFalse();
    assertThat(remaining(most, USER)).containsExactly(1_000L, 3_000L);
  }

  /** Each change of a limit, as those that follow a signal, once hid the report that followed. */
  @ParameterizedTest
  @MethodSource("correctable")
  void usageIsChargedAfterEveryChangeOfTheLimit(Limit limit) {
    var limiter = limiter(limit);
    for (int step = 0; step < 10; step++) {
      long permits = step % 2 == 0 ? 2_000 : 1_000;
      limiter.replaceRules(RuleSet.of(tokens(FixedWindow.of(Rate.of(permits, HOUR))).build()));
      limiter.charge(tokens(permits / 20));
    }
    assertThat(left(limiter)).isBetween(480L, 500L);
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void usageIsChargedAfterTheAlgorithmChanged(Limit limit) {
    var limiter = limiter(RollingWindow.of(Rate.of(1_000, HOUR)));
    limiter.check(tokens(300));
    limiter.replaceRules(RuleSet.of(tokens(limit).build()));
    limiter.charge(tokens(200));
    assertThat(left(limiter)).isBetween(495L, 500L);
  }

  @ParameterizedTest
  @MethodSource("correctable")
  void costAboveTheReservationIsChargedUnderAChangedLimit(Limit limit) {
    var limiter = limiter(limit);
    var settled = limiter.reserve(tokens(100));
    var updated = limiter.reserve(tokens(100));
    limiter.replaceRules(RuleSet.of(tokens(TokenBucket.of(Rate.of(2_000, HOUR))).build()));
    assertThat(charged(settled.settle(used(600)))).containsExactly(600L);
    assertThat(left(limiter)).isBetween(1_095L, 1_100L);
    limiter.replaceRules(RuleSet.of(tokens(limit).build()));
    assertThat(charged(updated.update(used(200)))).containsExactly(200L);
    assertThat(left(limiter)).isBetween(440L, 450L);
  }

  static Stream<Limit> boundedByCapacity() {
    return Stream.of(
        LeakyBucket.of(Rate.of(1_000, HOUR)).withQueue(999),
        RollingWindow.of(Rate.of(1_000, HOUR)),
        new FairShare(TokenBucket.of(Rate.of(1_000, HOUR)), FairSharing.among("key")));
  }

  /** Such a limit can't owe more than its capacity. */
  @ParameterizedTest
  @MethodSource("boundedByCapacity")
  void usageAboveTheCapacityTakesWhatIsLeft(Limit limit) {
    for (long usage : List.of(1_001L, 5_000L, 1_000_000_000L)) {
      var limiter = limiter(limit);
      long available = left(limiter);
      limiter.charge(tokens(usage));
      assertThat(left(limiter)).isLessThanOrEqualTo(1_000 - available);
      limiter.charge(tokens(usage));
      limiter.charge(tokens(usage));
      assertThat(limiter.check(tokens(600)).isAllowed()).isFalse();
    }
  }

  /** Compares every verb with the store in memory, under changing rules of every algorithm. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void everyVerbIsAsInMemory(int history) {
    new VerbHistory(open(), clock, history).run(TestEffort.of(250, 2_000));
  }
}
