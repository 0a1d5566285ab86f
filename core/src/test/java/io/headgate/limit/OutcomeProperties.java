package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

/** Verifies each field of an outcome by further requests, for every algorithm. */
@Domain(LimitArbitraries.class)
class OutcomeProperties {

  @Property(tries = 3_000)
  void retryTimeIsExact(@ForAll Limit limit, @ForAll History history) {
    for (var turn : Run.of(limit, history)) {
      if (turn.step().outcome() instanceof Refused refused) {
        var state = turn.step().state();
        long retry = turn.now() + refused.retryAfter();
        assertThat(refused.retryAfter()).isPositive();
        assertThat(outcome(limit, state, retry - 1, turn.cost())).isInstanceOf(Refused.class);
        assertThat(outcome(limit, state, retry, turn.cost())).isInstanceOf(Passed.class);
      }
    }
  }

  @Property(tries = 3_000)
  void remainingCanBeTakenNowAndNoMore(@ForAll Limit limit, @ForAll History history) {
    for (var turn : Run.of(limit, history)) {
      var state = turn.step().state();
      long remaining = turn.step().outcome().remaining();
      assertThat(remaining).isBetween(0L, limit.capacity());
      assertThat(outcome(limit, state, turn.now(), remaining)).isInstanceOf(Passed.class);
      assertThat(outcome(limit, state, turn.now(), remaining + 1)).isNotInstanceOf(Passed.class);
    }
  }

  @Property(tries = 3_000)
  void stateIsFreshAtTheResetTimeAndNotBefore(@ForAll Limit limit, @ForAll History history) {
    // Forward only: a window entered by a clock that ran ahead continues.
    for (var turn : Run.of(limit, history.forward())) {
      var state = turn.step().state();
      long resetAfter = turn.step().outcome().resetAfter();
      long reset = turn.now() + resetAfter;
      if (resetAfter > 0) assertThat(state.freshAt()).isEqualTo(reset);
      else assertThat(state.freshAt()).isLessThanOrEqualTo(turn.now());
      assertThat(outcome(limit, state, reset, limit.capacity()))
          .isEqualTo(outcome(limit, State.FRESH, reset, limit.capacity()));
      if (resetAfter > 0) {
        assertThat(outcome(limit, state, reset - 1, 0))
            .isNotEqualTo(outcome(limit, State.FRESH, reset - 1, 0));
      }
    }
  }

  @Property(tries = 3_000)
  void refusedRequestChargesNothing(@ForAll Limit limit, @ForAll History history) {
    for (var turn : Run.of(limit, history)) {
      if (turn.passed() && turn.cost() > 0) continue;
      // The outcomes are equal now, after a microsecond, at the reset and after a window.
      for (long ahead : new long[] {0, 1, turn.step().outcome().resetAfter(), limit.window()}) {
        long later = turn.now() + ahead;
        for (long cost : new long[] {0, 1, limit.capacity()}) {
          assertThat(outcome(limit, turn.step().state(), later, cost))
              .isEqualTo(outcome(limit, turn.before(), later, cost));
        }
      }
    }
  }

  @Property
  void costOfZeroAlwaysPasses(@ForAll Limit limit, @ForAll History history) {
    for (var turn : Run.of(limit, history)) {
      var look = limit.step(turn.before(), turn.now(), 0);
      assertThat(look.outcome()).isInstanceOf(Passed.class);
      assertThat(((Passed) look.outcome()).delay()).isZero();
    }
  }

  @Property
  void costAboveTheCapacityNeverPasses(@ForAll Limit limit, @ForAll History history) {
    for (var turn : Run.of(limit, history)) {
      boolean possible = turn.cost() <= limit.capacity();
      if (possible) assertThat(turn.step().outcome()).isNotInstanceOf(ExceedsCapacity.class);
      else {
        assertThat(turn.step().outcome())
            .isInstanceOfSatisfying(
                ExceedsCapacity.class,
                never -> {
                  assertThat(never.cost()).isEqualTo(turn.cost());
                  assertThat(never.capacity()).isEqualTo(limit.capacity());
                });
      }
    }
  }

  @Property
  void onlyAQueueDelays(@ForAll Limit limit, @ForAll History history) {
    for (var turn : Run.of(limit, history)) {
      if (turn.step().outcome() instanceof Passed passed && !(limit instanceof LeakyBucket)) {
        assertThat(passed.delay()).isZero();
      }
    }
  }

  private static Outcome outcome(Limit limit, State state, long now, long cost) {
    return limit.step(state, now, cost).outcome();
  }
}
