package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome.Passed;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

/** A clock that steps back grants no permits. */
@Domain(LimitArbitraries.class)
class ClockProperties {

  /**
   * Two callers make the same requests, one with a clock that steps back, one with a clock that
   * stands still instead. The first is never granted more.
   */
  @Property(tries = 5_000)
  void clockThatStepsBackAdmitsNoMoreThanOneThatStandsStill(
      @ForAll Limit limit, @ForAll History history) {
    // A slot expires by the clock at which it was acquired: acquired in the past, it expires in the
    // past.
    Assume.that(!(limit instanceof SlotLimit));
    List<Run.Turn> stepping = Run.of(limit, history.ofOnes());
    var still = new Run(limit, history.start());
    long latest = 0;
    long byStepping = 0;
    long byStill = 0;
    for (var turn : stepping) {
      latest = Math.max(latest, turn.now());
      if (turn.passed()) byStepping++;
      if (still.check(latest, 1).passed()) byStill++;
      assertThat(byStepping).isLessThanOrEqualTo(byStill);
    }
  }

  @Property(tries = 3_000)
  void requestThatPassesEarlierPassesLater(@ForAll Limit limit, @ForAll History history) {
    var run = Run.after(limit, history);
    for (var turn : run.turns()) {
      if (outcome(limit, run.state(), turn.now(), turn.cost()) instanceof Passed) {
        long later = Math.max(turn.now(), run.now());
        assertThat(outcome(limit, run.state(), later, turn.cost())).isInstanceOf(Passed.class);
      }
    }
  }

  @Property
  void stateIsFreshYearsLater(@ForAll Limit limit, @ForAll History history) {
    var run = Run.after(limit, history);
    long later =
        Math.max(run.now(), run.state().freshAt()) + Bounds.micros(Duration.ofDays(20_000));
    assertThat(outcome(limit, run.state(), later, limit.capacity()))
        .isEqualTo(outcome(limit, State.FRESH, later, limit.capacity()));
  }

  private static Outcome outcome(Limit limit, State state, long now, long cost) {
    return limit.step(state, now, cost).outcome();
  }
}
