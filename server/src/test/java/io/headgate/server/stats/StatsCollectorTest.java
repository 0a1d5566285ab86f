package io.headgate.server.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.headgate.RateLimiter;
import io.headgate.internal.outage.CircuitBreakingStore;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.callers.CallerTable;
import io.headgate.server.callers.CallerWeight;
import io.headgate.server.callers.RuleDenial;
import io.headgate.server.counts.CheckCounts;
import io.headgate.server.counts.MonotonicClock;
import io.headgate.server.counts.Resolution;
import io.headgate.server.counts.RuleTable;
import io.headgate.server.http.LogCapture;
import io.headgate.store.OutageListener;
import io.headgate.store.PlanResult;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests a collector and one event loop with manual clocks. */
class StatsCollectorTest {
  private static final Rule USERS =
      Rule.named("users").match("key", "*").limit(FixedWindow.of(Rate.perHour(1_000_000))).build();

  private final AtomicLong wall = new AtomicLong(1_789_300_800_150L);
  private final AtomicLong nanos = new AtomicLong();
  private final StatsCollector stats =
      new StatsCollector(
          StatsCollector.DEFAULT_CALLER_NAMES,
          new MonotonicClock(wall::get, nanos::get),
          () -> false);
  private final EventLoopCounter loop = stats.newCounter();
  private final List<Anomaly> anomalies = new ArrayList<>();
  private final List<StatsSnapshot> snapshots = new ArrayList<>();

  StatsCollectorTest() {
    stats.onAnomaly(anomalies::add);
    stats.onSnapshot(snapshots::add);
  }

  /** Advances the clock by a second and runs the given ticks in order. */
  private void second(Runnable... ticks) {
    wall.addAndGet(1_000);
    nanos.addAndGet(1_000_000_000);
    for (var tick : ticks) tick.run();
  }

  private void check(RateLimiter limiter, int times) {
    for (int i = 0; i < times; i++) {
      var request = Request.of(Subject.of("user"));
      loop.decided(request, limiter.checkForResult(request), 1_000);
    }
  }

  private void checkFor(RateLimiter limiter, int seconds) {
    for (int i = 0; i < seconds; i++) {
      check(limiter, 50);
      second(loop::tick, stats::tick);
    }
  }

  @Test
  void eachSecondIsReportedEvenWhenTheClockIsSetBack() {
    try (var limiter = RateLimiter.inMemory(USERS)) {
      checkFor(limiter, 10);
      wall.addAndGet(-3_600_000);
      checkFor(limiter, 10);
      assertThat(snapshots).hasSize(20);
      assertThat(snapshots.getLast().totals().allowed()).isEqualTo(20 * 50);
      assertThat(snapshots.getLast().newest().counts().allowed()).isEqualTo(50);
    }
  }

  @Test
  void skippedTimeIsNotMistakenForMissingTraffic() {
    try (var limiter = RateLimiter.inMemory(USERS)) {
      checkFor(limiter, 1_200);
      wall.addAndGet(600_000);
      checkFor(limiter, 600);
      wall.addAndGet(-60_000);
      checkFor(limiter, 600);
      assertThat(anomalies).isEmpty();
      assertThat(snapshots.getLast().recent().allowed()).isEqualTo(50L * Aggregator.RECENT_SECONDS);
    }
  }

  @Test
  void lateCountsOfAnEventLoopAreNoAnomaly() {
    try (var limiter = RateLimiter.inMemory(USERS)) {
      checkFor(limiter, 1_200);
      for (int i = 0; i < 300; i++) {
        check(limiter, 50);
        second(stats::tick, loop::tick);
      }
      assertThat(anomalies).isEmpty();
    }
  }

  @Test
  void stoppedTrafficIsAnAnomaly() {
    try (var limiter = RateLimiter.inMemory(USERS)) {
      checkFor(limiter, 1_200);
      for (int i = 0; i < 60; i++) second(loop::tick, stats::tick);
      assertThat(anomalies).hasSize(1);
      assertThat(anomalies.getFirst().text()).contains("fewer checks than usual");
    }
  }

  @Test
  void removedRuleIsNoAnomaly() {
    var paths =
        Rule.named("paths").match("path", "*").limit(FixedWindow.of(Rate.perHour(1_000_000)));
    try (var limiter = RateLimiter.inMemory(USERS, paths.build())) {
      stats.setActiveRules(Set.of("users", "paths"));
      var request = Request.of(Subject.of("path", "/a"));
      for (int i = 0; i < 1_200; i++) {
        for (int k = 0; k < 30; k++) loop.decided(request, limiter.checkForResult(request), 1_000);
        checkFor(limiter, 1);
      }
      stats.setActiveRules(Set.of("users"));
      checkFor(limiter, 600);
      assertThat(anomalies).isEmpty();
    }
  }

  @Test
  void checksOfARuleIncludeShadowModeAndDenialsByOthers() {
    var strict = Rule.named("strict").match("key", "*").limit(FixedWindow.of(Rate.perHour(3)));
    var shadow = Rule.named("shadow").match("key", "*").limit(FixedWindow.of(Rate.perHour(1)));
    try (var limiter =
        RateLimiter.inMemory(strict.build(), USERS, shadow.mode(Mode.SHADOW).build())) {
      check(limiter, 10);
      second(loop::tick, stats::tick);
    }
    Map<String, CheckCounts> byRule =
        stats.snapshot().byRule().stream()
            .collect(
                Collectors.toMap(StatsSnapshot.RuleStats::rule, StatsSnapshot.RuleStats::counts));
    assertThat(byRule.get("strict")).isEqualTo(new CheckCounts(10, 3, 7, 0, 0, 0, 0));
    assertThat(byRule.get("users")).isEqualTo(new CheckCounts(10, 3, 0, 0, 0, 0, 0));
    assertThat(byRule.get("shadow")).isEqualTo(new CheckCounts(10, 1, 0, 2, 0, 0, 0));
    assertThat(stats.snapshot().totals()).isEqualTo(new CheckCounts(10, 3, 7, 2, 0, 0, 0));
  }

  @Test
  void checksWithoutAnEnforcedRuleAreUnmatched() {
    var shadow = Rule.named("shadow").match("key", "*").limit(FixedWindow.of(Rate.perHour(1)));
    try (var limiter = RateLimiter.inMemory(shadow.mode(Mode.SHADOW).build())) {
      check(limiter, 3);
      second(loop::tick, stats::tick);
    }
    assertThat(stats.snapshot().totals()).isEqualTo(new CheckCounts(3, 3, 0, 2, 0, 0, 3));
    assertThat(stats.history(Resolution.MINUTES).sum().unmatched()).isEqualTo(3);
    assertThat(stats.history(Resolution.MINUTES, "shadow").sum())
        .isEqualTo(new CheckCounts(3, 1, 0, 2, 0, 0, 0));
  }

  @Test
  void delayedChecksBelongToTheRuleWithTheQueue() {
    var queue =
        Rule.named("queue").match("key", "*").limit(LeakyBucket.of(Rate.perHour(10)).withQueue(5));
    try (var limiter = RateLimiter.inMemory(USERS, queue.build())) {
      check(limiter, 4);
      second(loop::tick, stats::tick);
    }
    assertThat(stats.snapshot().totals()).isEqualTo(new CheckCounts(4, 4, 0, 0, 0, 3, 0));
    assertThat(stats.rule("queue").lastMinute().delayed()).isEqualTo(3);
    assertThat(stats.rule("users").lastMinute().delayed()).isZero();
  }

  @Test
  void activityOfARuleHasItsCallersAndItsLastDenials() {
    var strict =
        Rule.named("strict")
            .match("key", "*")
            .per("key")
            .limit(RuleLimit.of("calls", FixedWindow.of(Rate.perHour(3))))
            .build();
    var shadow =
        Rule.named("shadow")
            .match("key", "*")
            .mode(Mode.SHADOW)
            .limit(FixedWindow.of(Rate.perHour(2)))
            .build();
    try (var limiter = RateLimiter.inMemory(strict, shadow)) {
      check(limiter, 5);
      second(loop::tick, stats::tick);
      second(loop::tick, stats::tick);
    }
    long denied = stats.snapshot().atMillis() - 2_000;
    var enforced = stats.rule("strict");
    assertThat(enforced.isCounted()).isTrue();
    assertThat(enforced.lastMinute()).isEqualTo(new CheckCounts(5, 3, 2, 0, 0, 0, 0));
    assertThat(enforced.lastHour()).isEqualTo(enforced.lastMinute());
    assertThat(enforced.lastDay()).isEqualTo(enforced.lastMinute());
    assertThat(enforced.lastDeniedMillis()).hasValue(denied);
    assertThat(enforced.callers().busiest())
        .extracting(CallerWeight::caller)
        .containsExactly("user");
    assertThat(enforced.callers().denials()).isCloseTo(2, within(0.1));
    assertThat(enforced.callers().latest())
        .extracting(RuleDenial::caller, RuleDenial::count, RuleDenial::shadow, RuleDenial::limit)
        .containsExactly(tuple("user", 2L, false, "strict/calls"));
    assertThat(stats.rule("shadow").callers().latest())
        .extracting(RuleDenial::caller, RuleDenial::count, RuleDenial::shadow, RuleDenial::limit)
        .containsExactly(tuple("user", 1L, true, "shadow"));
    assertThat(stats.rule("shadow").lastDeniedMillis()).hasValue(denied);
    assertThat(stats.rule("none").isCounted()).isFalse();
    assertThat(stats.rule("none").lastDeniedMillis()).isEmpty();
  }

  @Test
  void suspendedTimeIsZeroInTheHistory() {
    try (var limiter = RateLimiter.inMemory(USERS)) {
      checkFor(limiter, 60);
      wall.addAndGet(600_000);
      checkFor(limiter, 60);
    }
    var hour = stats.history(Resolution.TEN_SECONDS);
    assertThat(hour.sum().allowed()).isEqualTo(120 * 50);
    long zeros =
        hour.buckets().reversed().stream()
            .skip(7)
            .limit(58)
            .filter(bucket -> bucket.equals(CheckCounts.NONE))
            .count();
    assertThat(zeros).isEqualTo(58);
    assertThat(stats.history(Resolution.MINUTES).sum().allowed()).isEqualTo(120 * 50);
  }

  @Test
  void rulesBeyondTheMaximumAreSummedUp() {
    int count = RuleTable.MAX_RULES + 30;
    var rules = new ArrayList<Rule>();
    for (int i = 0; i < count; i++) {
      rules.add(
          Rule.named("rule" + i)
              .match("n", Integer.toString(i))
              .limit(FixedWindow.of(Rate.perHour(9)))
              .build());
    }
    try (var limiter = RateLimiter.inMemory(rules.toArray(Rule[]::new))) {
      for (int i = 0; i < count; i++) {
        var request = Request.of(Subject.of("n", Integer.toString(i)));
        loop.decided(request, limiter.checkForResult(request), 1_000);
      }
      second(loop::tick, stats::tick);
    }
    var tracked =
        rules.stream().filter(rule -> stats.isTracked(Resolution.MINUTES, rule.id())).toList();
    assertThat(tracked).hasSize(RuleTable.MAX_RULES);
    assertThat(stats.history(Resolution.MINUTES, StatsCollector.OTHER_RULES).sum().allowed())
        .isEqualTo(30);
    assertThat(stats.history(Resolution.SECONDS, StatsCollector.OTHER_RULES).sum().allowed())
        .as("each second has room for more")
        .isZero();
  }

  /** A store that is unavailable. */
  private static final class UnavailableStore implements Store {
    private static StoreException unavailable() {
      return new StoreException(StoreException.Kind.CONNECTION, "unavailable", null);
    }

    @Override
    public PlanResult decide(Plan plan) {
      throw unavailable();
    }

    @Override
    public PlanResult peek(Plan plan) {
      throw unavailable();
    }

    @Override
    public boolean renew(Charge charge) {
      throw unavailable();
    }

    @Override
    public boolean release(Charge charge) {
      throw unavailable();
    }

    @Override
    public void reset(Counter counter, String key) {
      throw unavailable();
    }

    @Override
    public long trackedKeys() {
      return 0;
    }
  }

  private List<Anomaly> anomaliesWithoutStore(Function<Rule.Builder, Rule.Builder> policy) {
    var rule = Rule.named("users").match("key", "*").limit(FixedWindow.of(Rate.perHour(5)));
    var store =
        CircuitBreakingStore.around(
            new UnavailableStore(),
            () -> UnavailableStore.unavailable(),
            () -> 1,
            OutageListener.NONE);
    try (var limiter = RateLimiter.with(store, RuleSet.of(policy.apply(rule).build()))) {
      check(limiter, 10);
      second(loop::tick, stats::tick);
      assertThat(stats.snapshot().totals().degraded()).isEqualTo(10);
    }
    return anomalies;
  }

  @Test
  void uncountedChecksDuringAnOutageAreAnAnomaly() {
    var reported = anomaliesWithoutStore(rule -> rule.onStoreFailure(new FailurePolicy.Allow()));
    assertThat(reported).extracting(Anomaly::kind).containsExactly(Anomaly.Kind.FAIL_OPEN);
    assertThat(reported.getFirst().value()).isEqualTo(10);
  }

  @Test
  void locallyCountedChecksHaveNotFailedOpen() {
    assertThat(anomaliesWithoutStore(rule -> rule.onStoreFailure(new FailurePolicy.Local())))
        .isEmpty();
    assertThat(stats.snapshot().totals().allowed()).isEqualTo(5);
  }

  @Test
  void droppedCallerTablesAreLogged() {
    try (var limiter = RateLimiter.inMemory(USERS);
        var log = new LogCapture(StatsCollector.class.getName())) {
      var result = limiter.checkForResult(Subject.of("user"));
      for (int i = 0; i < 258 * CallerTable.MAX_CALLERS; i++) {
        loop.decided(Request.of(Subject.of("invented" + i)), result, 1_000);
      }
      second(loop::tick, stats::tick);
      second(loop::tick, stats::tick);
      assertThat(log.text().lines()).hasSize(1);
      assertThat(log.text()).contains("dropped 2 tables of up to 1024 callers");
    }
  }
}
