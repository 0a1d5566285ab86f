package io.headgate.server.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.outage.CircuitBreakingStore;
import io.headgate.outage.OutageListener;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.callers.CallerTable;
import io.headgate.server.counts.CheckCounts;
import io.headgate.server.counts.MonotonicClock;
import io.headgate.server.http.LogCapture;
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

/** A watch and one event loop, with clocks that are turned. */
class StatsCollectorTest {
  private static final Rule USERS =
      Rule.named("users").match("key", "*").limit(FixedWindow.of(Rate.perHour(1_000_000))).build();

  private final AtomicLong wall = new AtomicLong(1_789_300_800_150L);
  private final AtomicLong nanos = new AtomicLong();
  private final StatsCollector watch =
      new StatsCollector(
          StatsCollector.USUAL_NAMES, new MonotonicClock(wall::get, nanos::get), () -> false);
  private final EventLoopCounter loop = watch.observer();
  private final List<Anomaly> alarms = new ArrayList<>();
  private final List<StatsSnapshot> told = new ArrayList<>();

  StatsCollectorTest() {
    watch.alarm(alarms::add);
    watch.follow(told::add);
  }

  /** A second goes by, and all who have to do look at the clock, in this order. */
  private void second(Runnable... inTurn) {
    wall.addAndGet(1_000);
    nanos.addAndGet(1_000_000_000);
    for (var one : inTurn) one.run();
  }

  private void ask(RateLimiter limiter, int times) {
    for (int i = 0; i < times; i++) {
      var request = Request.of(Subject.of("user"));
      loop.decided(request, limiter.checkForResult(request), 1_000);
    }
  }

  private void pass(RateLimiter limiter, int seconds) {
    for (int i = 0; i < seconds; i++) {
      ask(limiter, 50);
      second(loop::tick, watch::tick);
    }
  }

  @Test
  void eachSecondIsToldAlsoWhenTheClockIsPutBack() {
    try (var limiter = RateLimiter.inMemory(USERS)) {
      pass(limiter, 10);
      wall.addAndGet(-3_600_000);
      pass(limiter, 10);
      assertThat(told).hasSize(20);
      assertThat(told.getLast().totals().allowed()).isEqualTo(20 * 50);
      assertThat(told.getLast().newest().counts().allowed()).isEqualTo(50);
    }
  }

  @Test
  void timeThatTheClockSkipsIsNotTakenForSilence() {
    try (var limiter = RateLimiter.inMemory(USERS)) {
      pass(limiter, 1_200);
      wall.addAndGet(600_000);
      pass(limiter, 600);
      wall.addAndGet(-60_000);
      pass(limiter, 600);
      assertThat(alarms).isEmpty();
      assertThat(told.getLast().recent().allowed()).isEqualTo(50L * Aggregator.RECENT_SECONDS);
    }
  }

  @Test
  void whatAnEventLoopGivesLateIsNotMissed() {
    try (var limiter = RateLimiter.inMemory(USERS)) {
      pass(limiter, 1_200);
      for (int i = 0; i < 300; i++) {
        ask(limiter, 50);
        second(watch::tick, loop::tick);
      }
      assertThat(alarms).isEmpty();
    }
  }

  @Test
  void trafficThatStopsIsMissedAllTheSame() {
    try (var limiter = RateLimiter.inMemory(USERS)) {
      pass(limiter, 1_200);
      for (int i = 0; i < 60; i++) second(loop::tick, watch::tick);
      assertThat(alarms).hasSize(1);
      assertThat(alarms.getFirst().text()).contains("less often than usual");
    }
  }

  @Test
  void aRuleThatIsTakenOutOfForceIsNotMissed() {
    var paths =
        Rule.named("paths").match("path", "*").limit(FixedWindow.of(Rate.perHour(1_000_000)));
    try (var limiter = RateLimiter.inMemory(USERS, paths.build())) {
      watch.rulesInForce(Set.of("users", "paths"));
      var request = Request.of(Subject.of("path", "/a"));
      for (int i = 0; i < 1_200; i++) {
        for (int k = 0; k < 30; k++) loop.decided(request, limiter.checkForResult(request), 1_000);
        pass(limiter, 1);
      }
      watch.rulesInForce(Set.of("users"));
      pass(limiter, 600);
      assertThat(alarms).isEmpty();
    }
  }

  @Test
  void aRuleIsAskedAlsoWhereItOnlyWatchesOrAnotherDenies() {
    var strict = Rule.named("strict").match("key", "*").limit(FixedWindow.of(Rate.perHour(3)));
    var tried = Rule.named("tried").match("key", "*").limit(FixedWindow.of(Rate.perHour(1)));
    try (var limiter =
        RateLimiter.inMemory(strict.build(), USERS, tried.mode(Mode.SHADOW).build())) {
      ask(limiter, 10);
      second(loop::tick, watch::tick);
    }
    Map<String, CheckCounts> byRule =
        watch.figures().byRule().stream()
            .collect(Collectors.toMap(StatsSnapshot.OfRule::rule, StatsSnapshot.OfRule::counts));
    assertThat(byRule.get("strict")).isEqualTo(new CheckCounts(10, 3, 7, 0, 0));
    assertThat(byRule.get("users")).isEqualTo(new CheckCounts(10, 3, 0, 0, 0));
    assertThat(byRule.get("tried")).isEqualTo(new CheckCounts(10, 1, 0, 2, 0));
    assertThat(watch.figures().totals()).isEqualTo(new CheckCounts(10, 3, 7, 2, 0));
  }

  /** Can't be asked. */
  private static final class Away implements Store {
    private static StoreException away() {
      return new StoreException(StoreException.Kind.CONNECTION, "away", null);
    }

    @Override
    public PlanResult decide(Plan plan) {
      throw away();
    }

    @Override
    public PlanResult peek(Plan plan) {
      throw away();
    }

    @Override
    public boolean renew(Charge charge) {
      throw away();
    }

    @Override
    public boolean release(Charge charge) {
      throw away();
    }

    @Override
    public void reset(Counter counter, String key) {
      throw away();
    }

    @Override
    public long trackedKeys() {
      return 0;
    }
  }

  private List<Anomaly> alarmsWithoutStore(Function<Rule.Builder, Rule.Builder> policy) {
    var rule = Rule.named("users").match("key", "*").limit(FixedWindow.of(Rate.perHour(5)));
    var store =
        CircuitBreakingStore.before(new Away(), () -> Away.away(), () -> 1, OutageListener.NONE);
    try (var limiter = RateLimiter.with(store, RuleSet.of(policy.apply(rule).build()))) {
      ask(limiter, 10);
      second(loop::tick, watch::tick);
      assertThat(watch.figures().totals().degraded()).isEqualTo(10);
    }
    return alarms;
  }

  @Test
  void whatPassesUncountedForWantOfTheStoreIsSaid() {
    var said = alarmsWithoutStore(rule -> rule.onStoreFailure(new FailurePolicy.Allow()));
    assertThat(said).extracting(Anomaly::kind).containsExactly(Anomaly.Kind.FAIL_OPEN);
    assertThat(said.getFirst().value()).isEqualTo(10);
  }

  @Test
  void whatIsCountedHereForWantOfTheStoreHasNotFailedOpen() {
    assertThat(alarmsWithoutStore(rule -> rule.onStoreFailure(new FailurePolicy.Local())))
        .isEmpty();
    assertThat(watch.figures().totals().allowed()).isEqualTo(5);
  }

  @Test
  void ifCallersCanNotBeAddedUpTheLogSaysSo() {
    try (var limiter = RateLimiter.inMemory(USERS);
        var log = new LogCapture(StatsCollector.class.getName())) {
      var result = limiter.checkForResult(Request.of(Subject.of("user")));
      for (int i = 0; i < 258 * CallerTable.MOST; i++) {
        loop.decided(Request.of(Subject.of("invented" + i)), result, 1_000);
      }
      second(loop::tick, watch::tick);
      second(loop::tick, watch::tick);
      assertThat(log.text().lines()).hasSize(1);
      assertThat(log.text()).contains("2 tables of up to 1024 were thrown away");
    }
  }
}
