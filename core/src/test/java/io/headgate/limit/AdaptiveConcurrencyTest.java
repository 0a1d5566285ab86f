package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AdaptiveConcurrencyTest {
  private static final long START = 1_800_000_000_000_000L;
  private static final long SECOND = 1_000_000;
  private static final AdaptiveConcurrency LIMIT =
      AdaptiveConcurrency.between(2, 50).withInitial(10);
  private static final CompletedCall DROPPED = new CompletedCall(CallOutcome.DROPPED, 1_000);

  @Test
  void startsAtTheInitialNumberOfSlots() {
    assertThat(LIMIT.step(State.FRESH, START, 1, 1).outcome())
        .isEqualTo(new Passed(9, 30 * SECOND, 0, 10));
    assertThat(LIMIT.step(State.FRESH, START, 0, 1).outcome()).isEqualTo(new Passed(10, 0, 0, 10));
    assertThat(LIMIT.capacity()).isEqualTo(50);
  }

  @Test
  void refusedRequestMayRetryWhenASlotExpires() {
    State state = State.FRESH;
    for (int i = 0; i < 10; i++) state = LIMIT.step(state, START + i, 1, i).state();
    assertThat(LIMIT.step(state, START + 20, 1, 20).outcome())
        .isEqualTo(new Refused(0, 30 * SECOND - 11, 30 * SECOND - 20, 10));
  }

  @Test
  void requestMayNotNeedMoreThanTheLowestLimit() {
    assertThat(LIMIT.step(State.FRESH, START, 3, 1).outcome())
        .isEqualTo(new ExceedsCapacity(10, 0, 3, 2, 10));
  }

  @Test
  void droppedCallsLowerTheLimitToItsMinimumAndNoFurther() {
    var state = completeMany(State.FRESH, DROPPED, 3_000);
    assertThat(limit(state)).isEqualTo(2);
  }

  @Test
  void extremeDurationsKeepTheLimitWithinItsBounds() {
    State state = State.FRESH;
    for (long duration : new long[] {0, 1, 3_600_000_000L, CompletedCall.MAX_MICROS}) {
      for (var outcome : CallOutcome.values()) {
        state = completeMany(state, new CompletedCall(outcome, duration), 1_000);
        assertThat(limit(state)).isBetween(2L, 50L);
      }
    }
  }

  @Test
  void durationOutOfRangeIsRejected() {
    assertThatThrownBy(() -> CompletedCall.of(CallOutcome.SUCCESS, Duration.ofMillis(-1)))
        .hasMessageContaining("0 to 100 years, got PT-0.001S");
    assertThatThrownBy(() -> CompletedCall.of(CallOutcome.SUCCESS, Duration.ofDays(40_000)))
        .hasMessageContaining("100 years");
    assertThatThrownBy(() -> new CompletedCall(CallOutcome.SUCCESS, -1))
        .hasMessageContaining("got -1");
    assertThatThrownBy(() -> new CompletedCall(CallOutcome.SUCCESS, Long.MAX_VALUE))
        .hasMessageContaining("got 9223372036854775807");
    assertThat(CompletedCall.of(CallOutcome.ERROR, Duration.ofMillis(48)).durationMicros())
        .isEqualTo(48_000);
  }

  @Test
  void durationCountsAsAtMostTheAgeOfTheSlot() {
    var liar = new CompletedCall(CallOutcome.SUCCESS, CompletedCall.MAX_MICROS);
    var honest = new CompletedCall(CallOutcome.SUCCESS, 1_000);
    assertThat(learned(liar, false)).isEqualTo(learned(honest, false));
    assertThat(learned(liar, true)).isNotEqualTo(learned(honest, true));
  }

  /** Returns what is learned from a call that held its slot for a millisecond. */
  private static Object learned(CompletedCall call, boolean renew) {
    var state = LIMIT.step(State.FRESH, START, 1, 1).state();
    if (renew) state = LIMIT.renew(state, START + 500, 1);
    return ((AdaptiveState) LIMIT.release(state, START + 1_000, 1, call)).controller();
  }

  @Test
  void ageIsKnownAgainWhenTheRenewedSlotHasExpired() {
    State state = LIMIT.renew(LIMIT.step(State.FRESH, START, 1, 1).state(), START + 500, 1);
    long later = START + 500 + 30 * SECOND;
    var liar = new CompletedCall(CallOutcome.SUCCESS, CompletedCall.MAX_MICROS);
    state = LIMIT.step(LIMIT.step(state, later - 1, 1, 2).state(), later, 1, 3).state();
    var held = (AdaptiveState) state;
    assertThat(held.maxAge(later + 5, held.slots().endOf(3))).isEqualTo(5);
    assertThat(held.maxAge(later - 1, held.slots().endOf(2))).isEqualTo(CompletedCall.MAX_MICROS);
    assertThat(SlotLimit.holds(LIMIT.release(state, later + 5, 3, liar), later + 5, 2)).isTrue();
  }

  @Test
  void slotIsLearnedFromOnce() {
    State state = LIMIT.step(State.FRESH, START, 1, 1).state();
    state = LIMIT.step(state, START, 1, 2).state();
    state = LIMIT.release(state, START + 10, 1, DROPPED);
    assertThat(LIMIT.release(state, START + 10, 1, DROPPED)).isSameAs(state);
    assertThat(LIMIT.release(state, START + 10, 7, DROPPED)).as("another's slot").isSameAs(state);
    var expired = (AdaptiveState) LIMIT.release(state, START + 40 * SECOND, 2, DROPPED);
    assertThat(expired.controller()).isEqualTo(((AdaptiveState) state).controller());
  }

  @Test
  void releaseWithoutAnOutcomeAndExpiryTeachNothing() {
    var fresh = ((AdaptiveState) LIMIT.step(State.FRESH, START, 0, 0).state()).controller();
    State state = LIMIT.step(State.FRESH, START, 1, 1).state();
    state = LIMIT.step(state, START, 1, 2).state();
    state = LIMIT.release(state, START + 10, 1);
    assertThat(((AdaptiveState) state).controller()).isEqualTo(fresh);
    var later = LIMIT.step(state, START + 30 * SECOND, 0, 0);
    assertThat(later.outcome()).isEqualTo(new Passed(10, 0, 0, 10));
    assertThat(((AdaptiveState) later.state()).controller()).isEqualTo(fresh);
  }

  @Test
  void learnedLimitIsKeptForItsRetentionAndThenStartsAgain() {
    var state = completeMany(State.FRESH, DROPPED, 3_000);
    long retained = START + 3_000 + 600 * SECOND;
    assertThat(state.freshAt()).isEqualTo(retained);
    assertThat(LIMIT.step(state, retained - 1, 0).outcome().limit()).isEqualTo(2);
    assertThat(LIMIT.step(state, retained, 0).outcome().limit()).isEqualTo(10);
  }

  @Test
  void changedBoundsApplyFromTheNextCheck() {
    var state = completeMany(State.FRESH, DROPPED, 3_000);
    var raised = AdaptiveConcurrency.between(5, 50);
    assertThat(raised.step(state, START + 3_000, 0).outcome().limit()).isEqualTo(5);
    var lowered = AdaptiveConcurrency.between(1, 1);
    assertThat(lowered.step(State.FRESH, START, 0).outcome().limit()).isEqualTo(1);
  }

  @Test
  void changeFromAndToAConstantLimitKeepsTheSlots() {
    State state = State.FRESH;
    for (int i = 0; i < 4; i++) state = Concurrency.of(4).step(state, START, 1, i).state();
    var adaptive = LIMIT.step(state, START + 1, 1, 4);
    assertThat(adaptive.outcome()).isEqualTo(new Passed(5, 30 * SECOND, 0, 10));
    var constant = Concurrency.of(6).step(adaptive.state(), START + 2, 1, 5);
    assertThat(constant.outcome()).isEqualTo(new Passed(0, 30 * SECOND, 0));
    assertThat(constant.state()).isInstanceOf(ConcurrencyState.class);
  }

  @Test
  void releaseUnderTheOtherKindOfLimitKeepsWhatWasLearned() {
    State state = completeMany(State.FRESH, DROPPED, 3_000);
    state = LIMIT.step(state, START + 3_000, 1, 1).state();
    state = Concurrency.of(6).release(state, START + 3_001, 1, DROPPED);
    assertThat(limit(state)).isEqualTo(2);
    assertThat(LIMIT.adopt(state, START + 3_001).slots().held()).isZero();
  }

  private static State completeMany(State from, CompletedCall call, int count) {
    var state = from;
    for (int i = 1; i <= count; i++) {
      var step = LIMIT.step(state, START + i - 1, 1, i);
      state = LIMIT.release(step.state(), START + i, i, call);
    }
    return state;
  }

  private static long limit(State state) {
    return LIMIT.step(state, START + 3_000, 0).outcome().limit();
  }
}
