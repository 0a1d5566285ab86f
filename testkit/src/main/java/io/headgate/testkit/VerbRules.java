package io.headgate.testkit;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Combine;
import io.headgate.rule.Mode;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.ReservationSettings.Excess;
import io.headgate.rule.ReservationSettings.OnExpiry;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Creates random rule sets whose rules have the same names: limits of every algorithm, combined in
 * every way, with every treatment of reservations. All sets have the same counters: a remote store
 * does not know what became of a reservation all of whose counters are gone.
 */
final class VerbRules {
  private static final FairSharing USERS = FairSharing.among("user").withWeight("u1", 3);

  private final Random random;

  VerbRules(Random random) {
    this.random = random;
  }

  List<RuleSet> revisions(int count) {
    return Stream.generate(() -> RuleSet.of(rule("r0", 3), rule("r1", 1))).limit(count).toList();
  }

  private Rule rule(String id, int limits) {
    var rule = Rule.named(id).match("key", "*").per("key").combine(combine());
    if (random.nextInt(5) == 0) rule.mode(Mode.SHADOW);
    for (int i = 0; i < limits; i++) rule.limit(ruleLimit("l" + i));
    var settings =
        new ReservationSettings(
            Duration.ofSeconds(5 + random.nextInt(30)),
            pick(List.of(1_000, 1_000, 500, 100)),
            ReservationSettings.DEFAULT.defaultCost(),
            pick(List.of(Excess.values())),
            pick(List.of(OnExpiry.values())),
            random.nextBoolean()
                ? Optional.empty()
                : Optional.of(Duration.ofSeconds(1 + random.nextInt(60))));
    return rule.reservation(settings).build();
  }

  private Combine combine() {
    return switch (random.nextInt(6)) {
      case 0 -> new Combine.All();
      case 1 -> new Combine.Any();
      case 2 -> new Combine.Weighted(500);
      case 3 -> new Combine.Weighted(700);
      case 4 -> new Combine.Hierarchical();
      default -> new Combine.Priority();
    };
  }

  private RuleLimit ruleLimit(String name) {
    var limit = RuleLimit.of(name, limit()).withWeight(1 + random.nextInt(3));
    return random.nextInt(3) == 0 ? limit : limit.withCost("tokens");
  }

  private Limit limit() {
    long permits = 5L + random.nextInt(60);
    var rate = Rate.of(permits, Duration.ofSeconds(pick(List.of(6, 12, 30))));
    return switch (random.nextInt(14)) {
      case 0, 1 -> TokenBucket.of(rate);
      case 2 -> new TokenBucket(Rate.of(999_983, Duration.ofSeconds(100_000)), permits);
      case 3 -> new TokenBucket(Rate.of(3, Duration.ofNanos(2_000)), permits);
      case 4 -> random.nextInt(4) == 0 ? LeakyBucket.of(rate) : RollingWindow.of(rate);
      case 5 -> LeakyBucket.of(rate).withQueue(permits);
      case 6, 7 -> FixedWindow.of(rate);
      case 8, 9 ->
          SlidingWindow.of(rate)
              .withBuckets(6)
              .withBound(pick(List.of(SlidingWindow.Bound.values())));
      case 10 -> RollingWindow.of(rate);
      case 11 -> new FairShare(new TokenBucket(rate, 4 * permits), USERS);
      case 12 -> Concurrency.of(permits).withLease(Duration.ofSeconds(8));
      default -> new AdaptiveConcurrency(2, permits, permits, Duration.ofSeconds(8));
    };
  }

  private <T> T pick(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
