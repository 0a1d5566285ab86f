package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Runs random operations against a store and a {@link ReferenceStore} and requires the same results
 * from both. The operations are reproducible from the seed.
 */
final class RandomHistory {
  private static final long SECOND = 1_000_000;
  private static final List<Combine> COMBINATIONS =
      List.of(
          new Combine.All(),
          new Combine.Any(),
          new Combine.Weighted(500),
          new Combine.Weighted(700),
          new Combine.Hierarchical(),
          new Combine.Priority());

  private static final FairSharing USERS = FairSharing.among("user").withWeight("u1", 3);

  private final long seed;
  private final Random random;
  private final ManualTicker clock;
  private final List<RuleSet> revisions = new ArrayList<>();
  private final boolean clockStepsBack;
  private final boolean sharesFairly;
  private final boolean adapts;
  private long latest;

  private RandomHistory(
      long seed,
      ManualTicker clock,
      int revisions,
      boolean clockStepsBack,
      boolean sharesFairly,
      boolean adapts) {
    this.seed = seed;
    this.random = new Random(seed);
    this.clock = clock;
    this.clockStepsBack = clockStepsBack;
    this.sharesFairly = sharesFairly;
    this.adapts = adapts;
    this.latest = clock.micros();
    for (int i = 0; i < revisions; i++) this.revisions.add(rules());
  }

  /** Alternates between rule sets whose rules have the same names and different limits. */
  static RandomHistory ofChangingRules(long seed, ManualTicker clock) {
    return new RandomHistory(seed, clock, 4, false, false, false);
  }

  /**
   * Sets the clock back now and then, but never across the beginning of a second, where windows
   * begin: a store may evict a window without charges, and would then use the previous one again.
   */
  static RandomHistory ofStepsBack(long seed, ManualTicker clock) {
    return new RandomHistory(seed, clock, 1, true, false, false);
  }

  /** Alternates between rule sets of which half of the limits are shared fairly among users. */
  static RandomHistory ofFairShares(long seed, ManualTicker clock) {
    return new RandomHistory(seed, clock, 3, false, true, false);
  }

  /**
   * Alternates between rule sets of which half of the limits are adaptive. Slots are released after
   * calls of random outcomes and durations.
   */
  static RandomHistory ofAdaptiveLimits(long seed, ManualTicker clock) {
    return new RandomHistory(seed, clock, 3, false, false, true);
  }

  /** Runs this many operations. */
  void play(Store store, int steps) {
    var reference = new ReferenceStore(clock);
    var rules = revisions.getFirst();
    for (int i = 0; i < steps; i++) {
      advanceClock();
      if (random.nextInt(50) == 0) rules = revisions.get(random.nextInt(revisions.size()));
      var plan = plan(rules, i); // the slot id; several combined requests may hold one slot
      assertThat(perform(store, plan, i))
          .as("seed %d, step %d, %s", seed, i, plan.charges())
          .isEqualTo(perform(reference, plan, i));
    }
  }

  private Plan plan(RuleSet rules, int step) {
    var plans = new ArrayList<Plan>();
    do {
      plans.add(rules.plan(request(), 0, step));
    } while (random.nextInt(4) == 0);
    return CombinedPlan.of(plans).whole();
  }

  /** Performs the operation of a step, the same one for both stores. */
  private Object perform(Store store, Plan plan, int step) {
    var stepRandom = new Random(seed * 31 + step);
    var charge = plan.charges().get(stepRandom.nextInt(plan.charges().size()));
    var earlier = new Charge(charge.counter(), charge.key(), 0, step - 1L - stepRandom.nextInt(6));
    return switch (stepRandom.nextInt(20)) {
      case 0, 1 -> store.peek(plan).outcomes();
      case 2 -> store.renew(earlier);
      case 3, 4 -> adapts ? store.release(earlier, call(stepRandom)) : store.release(earlier);
      case 6 -> adapts ? store.release(earlier) : store.decide(plan).outcomes();
      case 7, 8, 9, 10 ->
          adapts ? store.release(earlier, call(stepRandom)) : store.decide(plan).outcomes();
      case 5 -> {
        store.reset(charge.counter(), charge.key());
        yield "reset";
      }
      default -> store.decide(plan).outcomes();
    };
  }

  private static CompletedCall call(Random random) {
    var outcomes = CallOutcome.values();
    long duration =
        switch (random.nextInt(8)) {
          case 0 -> 0;
          case 1 -> CompletedCall.MAX_MICROS;
          default -> random.nextLong(2 * SECOND);
        };
    return new CompletedCall(outcomes[random.nextInt(outcomes.length)], duration);
  }

  private void advanceClock() {
    latest +=
        switch (random.nextInt(10)) {
          case 0, 1, 2, 3 -> 0;
          case 4, 5, 6 -> random.nextLong(1_000);
          case 7, 8 -> random.nextLong(SECOND);
          default -> random.nextLong(20 * SECOND);
        };
    boolean back = clockStepsBack && random.nextInt(3) == 0;
    clock.set(back ? latest - random.nextLong(latest % SECOND + 1) : latest);
  }

  private Request request() {
    var subject = Subject.of(Map.of("key", "k" + random.nextInt(4), "tenant", "t"));
    if (sharesFairly) subject = subject.with("user", "u" + random.nextInt(5));
    return new Request(subject, cost(), Map.of("bytes", cost()));
  }

  private long cost() {
    return random.nextInt(8) == 0 ? random.nextLong(7) : 1;
  }

  private RuleSet rules() {
    var rules = new ArrayList<Rule>();
    for (int i = 0; i < 3; i++) {
      var rule = Rule.named("r" + i).per("key").combine(pick(COMBINATIONS));
      if (random.nextInt(4) == 0) rule.mode(Mode.SHADOW);
      rule.match("key", random.nextInt(3) == 0 ? "k" + random.nextInt(4) : "*");
      int limits = 1 + random.nextInt(3);
      for (int j = 0; j < limits; j++) rule.limit(ruleLimit("l" + j));
      rules.add(rule.build());
    }
    rules.add(Rule.named("always").per("tenant").limit(limit()).build());
    return RuleSet.of(rules);
  }

  private RuleLimit ruleLimit(String name) {
    var limit = RuleLimit.of(name, limit()).withWeight(1 + random.nextInt(3));
    if (random.nextInt(4) == 0) limit = limit.withCost("bytes");
    return random.nextInt(4) == 0 ? limit.withPer("tenant") : limit;
  }

  private Limit limit() {
    long permits = 1L + random.nextInt(6);
    var rate = Rate.of(permits, Duration.ofSeconds(pick(List.of(6, 12, 30))));
    if (sharesFairly && random.nextBoolean()) {
      return new FairShare(new TokenBucket(rate, 4 * permits), USERS);
    }
    if (adapts && random.nextBoolean()) {
      return new AdaptiveConcurrency(
          1 + random.nextLong(permits),
          permits + random.nextInt(3),
          permits,
          Duration.ofSeconds(pick(List.of(8, 9, 1_000))));
    }
    return switch (random.nextInt(9)) {
      case 0 -> TokenBucket.of(rate);
      case 1 -> new TokenBucket(Rate.of(999_983, Duration.ofSeconds(1_000_000)), permits);
      case 2 -> LeakyBucket.of(rate);
      case 3 -> LeakyBucket.of(rate).withQueue(permits);
      case 4 -> FixedWindow.of(rate);
      case 5 ->
          SlidingWindow.of(rate)
              .withBuckets(6)
              .withBound(pick(List.of(SlidingWindow.Bound.values())));
      case 6 -> RollingWindow.of(rate);
      case 7 -> RollingWindow.of(rate).withMinInterval(Duration.ofMillis(500));
      default -> Concurrency.of(permits).withLease(Duration.ofSeconds(8));
    };
  }

  private <T> T pick(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
