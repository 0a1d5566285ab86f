package io.headgate.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlidingWindow.Bound;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationBudgetTest {
  private static final long MEGABYTE = 1 << 20;
  private static final Limit LARGE =
      new SlidingWindow(Rate.perHour(100), SlidingWindow.MOST_BUCKETS, Bound.CONSERVATIVE);

  private static RuleSet perKey(Limit limit) {
    return RuleSet.of(Rule.named("it").match("key", "*").limit(limit).build());
  }

  private static Arrival of(String key) {
    return new Arrival(1_000_000, false, Request.of(Subject.of(key)));
  }

  @Test
  void theLargerAStateTheFewerKeysFit() {
    assertThat(
            SimulationBudget.within(64 * MEGABYTE, perKey(FixedWindow.of(Rate.perHour(1)))).keys())
        .isBetween(100_000, 130_000);
    assertThat(SimulationBudget.within(64 * MEGABYTE, perKey(LARGE)).keys())
        .isBetween(3_000, 5_000);
  }

  @Test
  void theStateOfAnOverrideCountsToo() {
    var rule =
        Rule.named("it")
            .match("key", "*")
            .limit(FixedWindow.of(Rate.perHour(1)))
            .override("key", "a*", LARGE)
            .build();
    assertThat(SimulationBudget.within(64 * MEGABYTE, RuleSet.of(rule)).keys()).isLessThan(5_000);
  }

  @Test
  void aBenchKeepsNoMoreKeysThanThereIsRoomForAndSaysThatItIsCrowded() {
    try (var bench =
        new RuleSimulator(perKey(FixedWindow.of(Rate.perHour(1))), SimulationBudget.ofKeys(100))) {
      for (int i = 0; i < 50; i++) bench.ask(of("" + i));
      assertThat(bench.isCrowded()).isFalse();
      for (int i = 0; i < 1_000; i++) bench.ask(of("" + i));
      assertThat(bench.mostKeys()).isEqualTo(100);
      assertThat(bench.isCrowded()).isTrue();
    }
  }

  @Test
  void theCrowdIsRememberedAfterItHasGone() {
    try (var bench =
        new RuleSimulator(
            perKey(FixedWindow.of(Rate.perSecond(1))), SimulationBudget.ofKeys(100))) {
      for (int i = 0; i < 100; i++) bench.ask(of("" + i));
      for (int i = 0; i < 200; i++) {
        bench.ask(new Arrival(3_600_000_000L + i * 10_000_000L, false, of("late" + i).request()));
      }
      assertThat(bench.isCrowded()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void requestsThatAreRememberedOneByOneAreBounded(boolean slots) {
    Limit limit = slots ? Concurrency.of(1_000) : RollingWindow.of(Rate.perHour(1_000));
    try (var bench = new RuleSimulator(perKey(limit), new SimulationBudget(100, 5))) {
      for (int i = 0; i < 5; i++) bench.ask(of("a"));
      assertThatThrownBy(() -> bench.ask(of("a")))
          .isInstanceOf(SimulationBudget.Exceeded.class)
          .hasMessageContaining("more than 5 requests");
    }
  }

  @Test
  void whatIsDeniedIsNotRemembered() {
    try (var bench =
        new RuleSimulator(
            perKey(RollingWindow.of(Rate.perHour(5))), new SimulationBudget(100, 5))) {
      for (int i = 0; i < 100; i++) bench.ask(of("a"));
      assertThat(bench.total(SimulatedDecision.DENIED)).isEqualTo(95);
    }
  }

  @Test
  void whatMustBeKnownOfTheFiguresIsNoted() {
    var rules = perKey(Concurrency.of(1));
    try (var comparison = Comparison.alone(new RuleSimulator(rules, SimulationBudget.ofKeys(10)))) {
      assertThat(SimulationNotes.of(comparison, "a log", "--more"))
          .containsExactly(
              "a log does not say when requests end, so slots of concurrency limits are held for their lease");
      for (int i = 0; i < 20; i++) comparison.add(of("" + i));
      assertThat(SimulationNotes.of(comparison, "a log", "--more"))
          .last()
          .isEqualTo(
              "10 counters were in use at once, of 10 that are kept at the most: some may have been"
                  + " forgotten, so that too few requests are denied; --more");
    }
    assertThat(SimulationNotes.missing(List.of("a", "b"), "do so"))
        .isEqualTo("no line has a, b, which rules look at; do so");
  }
}
