package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.internal.consistency.HoldingStore.ReportResult;
import io.headgate.limit.BucketState;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Holdable;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlidingWindow.Bound;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.redis.KeyLayout;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.PlanResult;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.ReferenceHoldingStore;
import io.headgate.testkit.TestEffort;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs holds, reports and decisions in Java and in Lua and compares every field of the results, to
 * the microsecond.
 */
@ParameterizedClass
@EnumSource(KeyLayout.class)
class HoldParityTest {
  private static final int STEPS = TestEffort.of(1_500, 10_000);
  private static final long SECOND = 1_000_000;
  private static TestServer redis;

  @Parameter KeyLayout layout;

  private final ManualTicker clock = ManualTicker.create();
  private final Random random = new Random(20_261_116);
  private final ReferenceHoldingStore reference = ReferenceHoldingStore.shared(clock);
  private long latest = clock.micros();

  /** A command of a batch, and the expected result. */
  private record Comparison<T>(
      Supplier<String> description, ScriptCommand<T> command, Supplier<T> expected) {
    void compare(ReplyReader reply, long now) {
      assertThat(reference(command.read(reply), now))
          .as(description)
          .isEqualTo(reference(expected.get(), now));
    }

    /** Normalizes results: an empty bucket is the same whenever it became empty. */
    private static Object reference(Object answer, long now) {
      if (answer instanceof PlanResult several) return several.outcomes();
      if (answer
              instanceof
              ReportResult(
                  BucketState(long emptyAt, long slack, long drain),
                  long time,
                  boolean counted)
          && emptyAt <= now) {
        State repaid = new BucketState(0, 0, drain);
        return new ReportResult(repaid, time, counted);
      }
      return answer;
    }
  }

  @BeforeParameterizedClassInvocation
  static void start(KeyLayout layout) {
    redis = TestServer.start(layout);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    redis.close();
  }

  static Stream<Limit> holdableLimits() {
    return Stream.of(
        TokenBucket.of(Rate.of(7, Duration.ofSeconds(3))).withBurst(11),
        TokenBucket.of(Rate.perSecond(1_000_000)).withBurst(30),
        new TokenBucket(Rate.of(999_983, Duration.ofSeconds(100_000)), 40),
        FixedWindow.of(Rate.of(9, Duration.ofSeconds(4))),
        FixedWindow.of(30, new Window.Calendar(Window.Unit.HOUR, ZoneId.of("Europe/Berlin"))),
        SlidingWindow.of(Rate.of(20, Duration.ofSeconds(10))),
        SlidingWindow.of(Rate.of(20, Duration.ofSeconds(10)))
            .withBuckets(4)
            .withBound(Bound.CONSERVATIVE),
        SlidingWindow.of(Rate.of(101, Duration.ofMinutes(1))).withBuckets(60));
  }

  @ParameterizedTest
  @MethodSource("holdableLimits")
  void holdsCountTheSameInLuaAsInJava(Limit limit) {
    compare(List.of(rules(limit)), false);
  }

  @ParameterizedTest
  @MethodSource("holdableLimits")
  void holdsCountTheSameWhenClockStepsBack(Limit limit) {
    compare(List.of(rules(limit)), true);
  }

  @Test
  void holdsCountTheSameWhenLimitChanges() {
    var revisions = new ArrayList<RuleSet>();
    holdableLimits().forEach(limit -> revisions.add(rules(limit)));
    revisions.add(rules(TokenBucket.of(Rate.perSecond(1)).withBurst(3)));
    compare(revisions, false);
  }

  /** These limits have no holds of their own, but adopt those of an earlier limit. */
  @Test
  void holdsCountTheSameWhenLimitIsNoLongerHoldable() {
    var revisions = new ArrayList<RuleSet>();
    holdableLimits().forEach(limit -> revisions.add(rules(limit)));
    revisions.add(rules(LeakyBucket.of(Rate.of(3, Duration.ofSeconds(7))).withQueue(4)));
    revisions.add(rules(LeakyBucket.of(Rate.perSecond(3))));
    revisions.add(rules(RollingWindow.of(Rate.of(12, Duration.ofSeconds(5)))));
    revisions.add(rules(Concurrency.of(6).withLease(Duration.ofSeconds(2))));
    compare(revisions, false);
  }

  private static RuleSet rules(Limit limit) {
    return RuleSet.of(
        Rule.named("one").match("key", "*").limit(limit).build(),
        Rule.named("two")
            .match("key", "*")
            .match("both", "yes")
            .limit(RuleLimit.of("a", limit).withPer("key"))
            .limit(RuleLimit.of("b", TokenBucket.of(Rate.perSecond(2)).withBurst(5)).withPer("key"))
            .build());
  }

  private void compare(List<RuleSet> revisions, boolean stepsBack) {
    redis.flush();
    var rules = revisions.getFirst();
    for (int step = 0; step < STEPS; ) {
      advanceClock(stepsBack);
      if (random.nextInt(8) == 0) rules = revisions.get(random.nextInt(revisions.size()));
      var batch = new Batch(new CounterKeys("p:"), LimitFormat.NUMBERS);
      var comparisons = new ArrayList<Comparison<?>>();
      for (int i = random.nextInt(30); i >= 0; i--) {
        var comparison = comparison(rules, step++);
        comparison.command.writeTo(batch);
        comparisons.add(comparison);
      }
      long now = clock.micros();
      var reply = new ReplyReader(redis.decide(batch, now));
      for (var comparison : comparisons) comparison.compare(reply, now);
      if (random.nextInt(20) == 0) resetCounters(rules);
    }
  }

  private Comparison<?> comparison(RuleSet rules, int step) {
    var subject =
        Subject.of(
            Map.of("key", "k" + random.nextInt(3), "both", random.nextInt(4) == 0 ? "yes" : "no"));
    var plan = rules.plan(Request.of(subject, random.nextInt(4)), 0, step);
    var charge = plan.charges().get(random.nextInt(plan.charges().size()));
    boolean holdable = charge.limit() instanceof Holdable;
    return switch (random.nextInt(10)) {
      case 0 -> decision("look", plan, false, step);
      case 1, 2, 3 -> decision("decide", plan, true, step);
      case 4 -> holdable ? report(charge, step) : decision("decide", plan, true, step);
      default -> holdable ? hold(charge, step) : decision("look", plan, false, step);
    };
  }

  private Comparison<?> decision(String description, Plan plan, boolean keep, int step) {
    return new Comparison<>(
        () -> "step %d, %s %s".formatted(step, description, plan.charges()),
        new ScriptCommand.PlanCommand(plan, keep, back -> {}),
        () -> keep ? reference.decide(plan) : reference.peek(plan));
  }

  private Comparison<?> report(Charge charge, int step) {
    return new Comparison<>(
        () -> "step %d, report %s".formatted(step, charge),
        ScriptCommand.report(charge),
        () -> reference.report(charge).toCompletableFuture().join());
  }

  private Comparison<?> hold(Charge charge, int step) {
    long holder = 1 + random.nextInt(4) + (1L << 47);
    long want = random.nextInt(3) == 0 ? 0 : random.nextInt(9);
    long lease = random.nextInt(4) == 0 ? 1 + random.nextInt(1000) : 1 + random.nextLong(SECOND);
    long held = random.nextInt(9);
    long until = random.nextInt(3) == 0 ? 0 : clock.micros() + random.nextInt(2_000) - 500;
    var usage = new HoldRequest.Usage(held == 0 ? 0 : random.nextLong(held + 1), held, until);
    long order = random.nextInt(3);
    long cost = random.nextBoolean() ? charge.cost() : 0;
    var hold = new HoldRequest(holder, order, usage, cost, want, lease);
    var holdCharge = new Charge(charge.counter(), charge.key(), hold.cost(), 0);
    return new Comparison<>(
        () -> "step %d, %s of %s".formatted(step, hold, charge),
        ScriptCommand.hold(holdCharge, hold, back -> {}),
        () ->
            reference
                .as(holder)
                .hold(holdCharge, order, usage, hold.want(), hold.lease())
                .toCompletableFuture()
                .join());
  }

  private void resetCounters(RuleSet rules) {
    var subject = Subject.of(Map.of("key", "k" + random.nextInt(3), "both", "yes"));
    for (var charge : rules.plan(Request.of(subject, 1), 0, 0).charges()) {
      reference.reset(charge.counter(), charge.key());
      redis.delete(
          new CounterKeys("p:")
              .of(charge.counter(), charge.key())
              .getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Steps back only within a second, since windows may end between two seconds. */
  private void advanceClock(boolean stepsBack) {
    latest +=
        switch (random.nextInt(8)) {
          case 0, 1 -> 0;
          case 2, 3 -> random.nextLong(1_000);
          case 4, 5 -> random.nextLong(SECOND / 2);
          case 6 -> random.nextLong(5 * SECOND);
          default -> random.nextLong(200 * SECOND);
        };
    boolean back = stepsBack && random.nextInt(3) == 0;
    clock.set(back ? latest - random.nextLong(latest % SECOND + 1) : latest);
  }
}
