package io.headgate.internal.script;

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
import io.headgate.limit.Window;
import io.headgate.rule.Combine;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.ReferenceStore;
import io.headgate.testkit.TestEffort;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs plans in Java and in Lua and compares every field of the results, to the microsecond. */
class ParityTest {
  private static final int STEPS = TestEffort.of(2_500, 20_000);
  private static final int COMBINED_STEPS = TestEffort.of(1_000, 2_000);
  private static final int SLIDING_ROUNDS = TestEffort.of(20, 40);
  private static TestServer redis;

  private final ManualTicker clock = ManualTicker.create();
  private final Random random = new Random(20_261_116);

  @BeforeAll
  static void start() {
    redis = TestServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  static Stream<Limit> everyAlgorithm() {
    return Stream.of(
        TokenBucket.of(Rate.of(7, Duration.ofSeconds(3))).withBurst(11),
        TokenBucket.of(Rate.perDay(1_000_000)).withBurst(5_000),
        TokenBucket.of(Rate.perSecond(1_000_000)).withBurst(3),
        TokenBucket.of(Rate.of(999_983, Duration.ofSeconds(100))).withBurst(40),
        TokenBucket.of(Rate.perDay(1)),
        LeakyBucket.of(Rate.perSecond(3)),
        LeakyBucket.of(Rate.of(3, Duration.ofSeconds(7))).withQueue(4),
        LeakyBucket.of(Rate.perSecond(13)).withMaxWait(Duration.ofMillis(777)),
        FixedWindow.of(Rate.of(9, Duration.ofSeconds(4))),
        FixedWindow.of(50, new Window.Calendar(Window.Unit.DAY, ZoneId.of("Europe/Berlin"))),
        FixedWindow.of(70, new Window.Calendar(Window.Unit.HOUR, ZoneId.of("Australia/Lord_Howe"))),
        SlidingWindow.of(Rate.of(20, Duration.ofSeconds(10))),
        SlidingWindow.of(Rate.of(20, Duration.ofSeconds(10)))
            .withBuckets(4)
            .withBound(SlidingWindow.Bound.CONSERVATIVE),
        SlidingWindow.of(Rate.of(1_000_003, Duration.ofHours(1))).withBuckets(60),
        SlidingWindow.of(Rate.of(5_000, Duration.ofSeconds(100)))
            .withBuckets(SlidingWindow.MAX_BUCKETS),
        RollingWindow.of(Rate.of(12, Duration.ofSeconds(5))),
        RollingWindow.of(Rate.of(200, Duration.ofSeconds(20)))
            .withMinInterval(Duration.ofMillis(3)),
        Concurrency.of(6).withLease(Duration.ofSeconds(2)),
        new AdaptiveConcurrency(6, 6, 6, Duration.ofSeconds(2)),
        fair(TokenBucket.of(Rate.perSecond(10))),
        fair(TokenBucket.of(Rate.of(7, Duration.ofSeconds(3))).withBurst(70)),
        fair(TokenBucket.of(Rate.perSecond(1_000_000)).withBurst(40)),
        fair(TokenBucket.of(Rate.of(999_983, Duration.ofSeconds(100))).withBurst(97)),
        fair(TokenBucket.of(Rate.perDay(12)).withBurst(50)));
  }

  private static Limit fair(TokenBucket bucket) {
    return new FairShare(
        bucket, FairSharing.among("tenant").withWeight("t1", 3).withWeight("t2", 1000));
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void everyAlgorithmReturnsTheSameInLuaAsInJava(Limit limit) {
    compare(rules(limit));
  }

  /** A batch of one needs less of the script than others, and continues their states. */
  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void everyAlgorithmReturnsTheSameInBatchesOfOneAndOfSeveral(Limit limit) {
    compareSmallBatches(rules(limit));
  }

  /** A batch of one reads the state of another limit or algorithm. */
  @Test
  void changedLimitReturnsTheSameInBatchesOfOneAndOfSeveral() {
    compareSmallBatches(everyAlgorithm().map(ParityTest::rules).toArray(RuleSet[]::new));
  }

  /** Instances load a change at different times, so that one batch may have both rules. */
  @Test
  void changedLimitReturnsTheSameInLuaAsInJava() {
    compare(everyAlgorithm().map(ParityTest::rules).toArray(RuleSet[]::new));
  }

  private static RuleSet rules(Limit limit) {
    return RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
  }

  static Stream<Combine> everyCombination() {
    return Stream.of(
        new Combine.All(),
        new Combine.Any(),
        new Combine.Weighted(400),
        new Combine.Weighted(1000),
        new Combine.Hierarchical(),
        new Combine.Priority());
  }

  @ParameterizedTest
  @MethodSource("everyCombination")
  void everyCombinationReturnsTheSameInLuaAsInJava(Combine combine) {
    var several = Rule.named("several").match("key", "*").combine(combine);
    int weight = 1;
    for (var limit : everyAlgorithm().toList()) {
      if (limit.capacity() > 100) continue;
      several.limit(RuleLimit.of("l" + weight, limit).withWeight(weight).withPer("key"));
      weight++;
    }
    compare(
        RuleSet.of(
            several.build(),
            Rule.named("shadow")
                .match("key", "*")
                .mode(Mode.SHADOW)
                .limit(TokenBucket.of(Rate.perSecond(2)).withBurst(3))
                .build()));
  }

  /** Requests of several tenants that pass together or not at all share one counter. */
  @Test
  void combinedPlansOfSeveralTenantsReturnTheSameInLuaAsInJava() {
    var rules = rules(fair(TokenBucket.of(Rate.perSecond(20))));
    redis.flush();
    var reference = new ReferenceStore(clock);
    for (int step = 0; step < COMBINED_STEPS; step++) {
      clock.sleep(random.nextLong(200_000));
      var plans = new ArrayList<Plan>();
      for (int i = random.nextInt(5); i >= 0; i--) plans.add(rules.plan(request(), 0, i));
      var plan = CombinedPlan.of(plans).whole();
      var batch = new ParityBatch();
      batch.add(plan, true);
      batch.compare(redis, clock, reference, step);
    }
  }

  /** Subjects of requests that pass together are in any order, and some more than once. */
  @Test
  void combinedPlansOfSeveralLimitsReturnTheSameInLuaAsInJava() {
    var second = Duration.ofSeconds(1);
    var rules =
        RuleSet.of(
            Rule.named("rule")
                .match("key", "*")
                .limit(RuleLimit.of("b", TokenBucket.of(Rate.perSecond(40))).withPer("key"))
                .limit(RuleLimit.of("f", FixedWindow.of(Rate.of(30, second))).withPer("key"))
                .limit(RuleLimit.of("s", SlidingWindow.of(Rate.of(30, second))).withPer("key"))
                .limit(RuleLimit.of("r", RollingWindow.of(Rate.of(30, second))).withPer("key"))
                .build());
    redis.flush();
    var reference = new ReferenceStore(clock);
    for (int step = 0; step < COMBINED_STEPS; step++) {
      clock.sleep(random.nextLong(200_000));
      var batch = new ParityBatch();
      for (int i = random.nextInt(4); i >= 0; i--) {
        var plans = new ArrayList<Plan>();
        for (int j = random.nextInt(4); j >= 0; j--) plans.add(rules.plan(request(), 0, i));
        var whole = CombinedPlan.of(plans).whole();
        batch.add(whole, random.nextInt(8) > 0);
      }
      batch.compare(redis, clock, reference, step);
    }
  }

  /** A shape of a window may have the texts of another one with higher counts. */
  @Test
  void changedSlidingWindowsReturnTheSameInLuaAsInJava() {
    var revisions = new ArrayList<RuleSet>();
    for (int buckets : new int[] {3, 4, 5, 10}) {
      for (long permits : new long[] {200, 1_000}) {
        var rate = Rate.of(permits, Duration.ofSeconds(buckets));
        revisions.add(rules(SlidingWindow.of(rate).withBuckets(buckets)));
      }
    }
    redis.flush();
    var reference = new ReferenceStore(clock);
    for (int round = 0; round < SLIDING_ROUNDS; round++) {
      compareCosts(reference, revisions.get(random.nextInt(revisions.size())), 60);
      compareCosts(reference, revisions.get(random.nextInt(revisions.size())), 3);
    }
  }

  private void compareCosts(ReferenceStore reference, RuleSet rules, int most) {
    for (int step = 0; step < 60; step++) {
      clock.sleep(random.nextLong(random.nextInt(8) == 0 ? 4_000_000 : 400_000));
      var plan = rules.plan(Request.of(Subject.of("sliding"), random.nextLong(most)), 0, step);
      var batch = new ParityBatch();
      batch.add(plan, true);
      batch.compare(redis, clock, reference, step);
    }
  }

  /** More tenants than are told apart, most of which are idle at any time. */
  @Test
  void thousandsOfTenantsReturnTheSameInLuaAsInJava() {
    var rules = rules(fair(TokenBucket.of(Rate.perSecond(1_000))));
    redis.flush();
    var reference = new ReferenceStore(clock);
    for (int step = 0; step < 40; step++) {
      clock.sleep(random.nextLong(step % 10 == 0 ? 3_000_000 : 50_000));
      var batch = new ParityBatch();
      for (int i = 0; i < 100; i++) {
        var subject = Subject.of("k").with("tenant", "t" + random.nextInt(5_000));
        var plan = rules.plan(Request.of(subject, cost()), 0, i);
        batch.add(plan, true);
      }
      batch.compare(redis, clock, reference, step);
    }
  }

  /** Weights that change while debts last, and many debts that end between two batches. */
  @Test
  void changingWeightsOfManyTenantsReturnTheSameInLuaAsInJava() {
    var weights = new TreeMap<>(Map.of("w1", 1, "w2", 2, "w3", 7, "w4", 1_000));
    var sharing = FairSharing.among("tenant").withWeights("plan", weights);
    var rules = rules(new FairShare(TokenBucket.of(Rate.perSecond(500)).withBurst(5_000), sharing));
    redis.flush();
    var reference = new ReferenceStore(clock);
    for (int step = 0; step < 150; step++) {
      clock.sleep(random.nextLong(step % 15 == 0 ? 20_000_000 : 200_000));
      var batch = new ParityBatch();
      for (int i = random.nextInt(60); i >= 0; i--) {
        var subject = Subject.of("k").with("tenant", "t" + random.nextInt(80));
        subject = subject.with("plan", "w" + (1 + random.nextInt(random.nextInt(4) + 1)));
        var plan = rules.plan(Request.of(subject, random.nextLong(40)), 0, i);
        batch.add(plan, random.nextInt(8) > 0);
      }
      batch.compare(redis, clock, reference, step);
    }
  }

  /** Costs so high that the virtual clock is restarted every few requests, to stay exact. */
  @Test
  void restartedVirtualClockReturnsTheSameInLuaAsInJava() {
    long burst = 1L << 30;
    var sharing = FairSharing.among("tenant");
    var rules = rules(new FairShare(TokenBucket.of(Rate.perSecond(burst)), sharing));
    redis.flush();
    redis.server().call("CONFIG", "RESETSTAT");
    var reference = new ReferenceStore(clock);
    for (int step = 0; step < 500; step++) {
      clock.sleep(random.nextLong(random.nextInt(10) == 0 ? 5_000_000 : 300_000));
      var subject = Subject.of("k").with("tenant", "t" + random.nextInt(6));
      var plan = rules.plan(Request.of(subject, 1 + random.nextLong(burst / 4)), 0, step);
      var batch = new ParityBatch();
      batch.add(plan, true);
      batch.compare(redis, clock, reference, step);
    }
    // The first charge deletes the key, and each restart.
    assertThat(redis.server().call("INFO", "commandstats").text())
        .containsPattern("cmdstat_del:calls=[1-9]\\d");
  }

  /** Makes about fifty requests at a time, so that they share a batch and its states. */
  private void compare(RuleSet... revisions) {
    compare(() -> 1 + random.nextInt(100), STEPS, revisions);
  }

  /** Makes half of the requests alone. */
  private void compareSmallBatches(RuleSet... revisions) {
    compare(() -> random.nextInt(4) > 0 ? 1 : 2 + random.nextInt(3), STEPS / 5, revisions);
  }

  private void compare(IntSupplier batchSize, int steps, RuleSet... revisions) {
    redis.flush();
    var reference = new ReferenceStore(clock);
    for (int step = 0; step < steps; ) {
      clock.sleep(pause());
      var batch = new ParityBatch();
      var request = request();
      int size = batchSize.getAsInt();
      for (int i = 0; i < size; i++) {
        var rules = revisions[random.nextInt(revisions.length)];
        if (random.nextInt(4) > 0) request = request(); // else the same again, as for a hot key
        batch.add(rules.plan(request, 0, step + i), random.nextInt(8) > 0);
      }
      batch.compare(redis, clock, reference, step);
      step += size;
    }
  }

  private long pause() {
    return switch (random.nextInt(6)) {
      case 0 -> 1;
      case 1, 2 -> random.nextLong(100_000);
      case 3, 4 -> random.nextLong(3_000_000);
      default -> random.nextLong(100_000_000);
    };
  }

  private Request request() {
    var subject = Subject.of("k" + random.nextInt(5));
    int tenant = random.nextInt(12);
    return Request.of(tenant == 0 ? subject : subject.with("tenant", "t" + tenant), cost());
  }

  private long cost() {
    return random.nextInt(5) == 0 ? random.nextLong(6) : 1;
  }
}
