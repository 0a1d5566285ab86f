package io.headgate.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.Shed;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlidingWindow.Bound;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Tuning;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationBudgetTest {
  private static final long MEGABYTE = 1 << 20;
  private static final Limit LARGE =
      SlidingWindow.of(Rate.perHour(100))
          .withBuckets(SlidingWindow.MAX_BUCKETS)
          .withBound(Bound.CONSERVATIVE);

  private static RuleSet perKey(Limit limit) {
    return RuleSet.of(Rule.named("it").match("key", "*").limit(limit).build());
  }

  private static Arrival of(String key) {
    return new Arrival(1_000_000, false, Request.of(Subject.of(key)));
  }

  @Test
  void largerStatesLeaveFewerKeys() {
    assertThat(
            SimulationBudget.within(64 * MEGABYTE, perKey(FixedWindow.of(Rate.perHour(1)))).keys())
        .isBetween(100_000, 130_000);
    assertThat(SimulationBudget.within(64 * MEGABYTE, perKey(LARGE)).keys())
        .isBetween(3_000, 5_000);
  }

  @Test
  void stateOfAnOverrideIsIncluded() {
    var rule =
        Rule.named("it")
            .match("key", "*")
            .limit(FixedWindow.of(Rate.perHour(1)))
            .override("key", "a*", LARGE)
            .build();
    assertThat(SimulationBudget.within(64 * MEGABYTE, RuleSet.of(rule)).keys()).isLessThan(5_000);
  }

  @Test
  void keysAreBoundedAndEvictionIsReported() {
    try (var simulator =
        new RuleSimulator(perKey(FixedWindow.of(Rate.perHour(1))), SimulationBudget.ofKeys(100))) {
      for (int i = 0; i < 50; i++) simulator.check(of("" + i));
      assertThat(simulator.mayHaveEvicted()).isFalse();
      for (int i = 0; i < 1_000; i++) simulator.check(of("" + i));
      assertThat(simulator.peakKeys()).isEqualTo(100);
      assertThat(simulator.mayHaveEvicted()).isTrue();
    }
  }

  @Test
  void evictionIsReportedAfterTheCountersExpired() {
    try (var simulator =
        new RuleSimulator(
            perKey(FixedWindow.of(Rate.perSecond(1))), SimulationBudget.ofKeys(100))) {
      for (int i = 0; i < 100; i++) simulator.check(of("" + i));
      for (int i = 0; i < 200; i++) {
        simulator.check(
            new Arrival(3_600_000_000L + i * 10_000_000L, false, of("late" + i).request()));
      }
      assertThat(simulator.mayHaveEvicted()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void individuallyStoredRequestsAreBounded(boolean slots) {
    Limit limit = slots ? Concurrency.of(1_000) : RollingWindow.of(Rate.perHour(1_000));
    try (var simulator = new RuleSimulator(perKey(limit), new SimulationBudget(100, 5))) {
      for (int i = 0; i < 5; i++) simulator.check(of("a"));
      assertThatThrownBy(() -> simulator.check(of("a")))
          .isInstanceOf(SimulationBudget.Exceeded.class)
          .hasMessageContaining("more than 5 requests");
    }
  }

  @Test
  void deniedRequestsAreNotStored() {
    try (var simulator =
        new RuleSimulator(
            perKey(RollingWindow.of(Rate.perHour(5))), new SimulationBudget(100, 5))) {
      for (int i = 0; i < 100; i++) simulator.check(of("a"));
      assertThat(simulator.total(SimulatedDecision.DENIED)).isEqualTo(95);
    }
  }

  @Test
  void rulesThatFollowTheLoadAreNoted() {
    var second = Duration.ofSeconds(1);
    var tuning =
        new Tuning(
            Rate.of(10, second), Rate.of(500, second), SignalKind.LATENCY, 250, Optional.empty());
    var rules =
        RuleSet.of(
            Rule.named("overload")
                .match("backend", "*")
                .limit(new Shed(ShedPolicy.of(SignalKind.UTILIZATION, 0.8)))
                .build(),
            Rule.named("search")
                .match("backend", "*")
                .limit(
                    RuleLimit.of("search", TokenBucket.of(Rate.of(100, second))).withTuning(tuning))
                .build(),
            Rule.named("slots")
                .match("backend", "*")
                .limit(AdaptiveConcurrency.between(1, 10))
                .build());
    try (var comparison =
        Comparison.single(new RuleSimulator(rules, SimulationBudget.ofKeys(10)))) {
      assertThat(SimulationNotes.of(comparison, "a log", "--more"))
          .contains(
              "the load of backends is not simulated, so rules that shed it drop nothing: overload",
              "the load of backends is not simulated, so limits with adapt have their own rate: search",
              "no request reports an outcome, so adaptive limits stay at their initial number of slots: slots");
    }
  }

  @Test
  void limitationsAreNoted() {
    var rules = perKey(Concurrency.of(1));
    try (var comparison =
        Comparison.single(new RuleSimulator(rules, SimulationBudget.ofKeys(10)))) {
      assertThat(SimulationNotes.of(comparison, "a log", "--more"))
          .containsExactly(
              "a log does not record when requests end, so slots of concurrency limits are held for their lease");
      for (int i = 0; i < 20; i++) comparison.add(of("" + i));
      assertThat(SimulationNotes.of(comparison, "a log", "--more"))
          .last()
          .isEqualTo(
              "10 of at most 10 counters were in use at once: some may have been evicted, so that too"
                  + " few requests are denied; --more");
    }
    assertThat(SimulationNotes.missing(List.of("a", "b"), "do so"))
        .isEqualTo("no line has a, b, which the rules use; do so");
  }
}
