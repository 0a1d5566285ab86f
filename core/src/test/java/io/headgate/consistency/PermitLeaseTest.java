package io.headgate.consistency;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.HoldingStore.Taken;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is told to the store is neither more nor less than what was spent. */
class PermitLeaseTest {
  private static final LeaseSizing SIZE = new LeaseSizing(16);
  private static final long UNTIL = 1_792_000_000_000_000L;

  private final PermitLease slice = new PermitLease(charge(1_000), 0);

  private static FixedWindow limitOf(int permits) {
    return FixedWindow.of(Rate.perHour(permits));
  }

  private static Charge charge(int permits) {
    var rule = Rule.named("r").match("key", "*").limit(limitOf(permits)).build();
    return RuleSet.of(rule).plan(Request.of(Subject.of("k")), 0, 0).charges().getFirst();
  }

  private void spend(int times) {
    for (int i = 0; i < times; i++) {
      assertThat(slice.spend(charge(1_000), 0)).isInstanceOf(Passed.class);
    }
  }

  private PermitLease.Question ask(long least) {
    return Objects.requireNonNull(slice.ask(SIZE, 1, least, 0));
  }

  private void answer(PermitLease.Question question, long held) {
    slice.answered(question, new Taken(new Passed(100, 1_000_000, 0), held, UNTIL), 0);
  }

  @Test
  void whatIsGivenBackBeforeTheStoreIsToldIsSpentAgain() {
    answer(ask(10), 10);
    int tellings = slice.tellings();
    spend(10);
    slice.giveBack(1, tellings);
    spend(1);
    assertThat(ask(10).usage().spent()).isEqualTo(10);
  }

  @Test
  void whatTheStoreHasBeenToldOfStaysSpent() {
    answer(ask(10), 10);
    int tellings = slice.tellings();
    spend(5);
    var question = ask(10);
    assertThat(question.usage().spent()).isEqualTo(5);
    slice.giveBack(1, tellings);
    answer(question, 10);
    assertThat(ask(10).usage().spent()).isZero();
  }

  @Test
  void whatIsGivenBackAfterTheAnswerStaysSpentIfItWasTold() {
    answer(ask(10), 10);
    int tellings = slice.tellings();
    spend(5);
    answer(ask(10), 10);
    spend(2);
    slice.giveBack(1, tellings);
    assertThat(ask(10).usage().spent()).isEqualTo(2);
  }

  @Test
  void anAnswerThatWasAskedForUnderAnotherLimitGivesNothingToSpend() {
    answer(ask(10), 10);
    spend(1);
    var question = ask(10);
    assertThat(slice.spend(charge(20), 0)).isNull();
    answer(question, 10);
    assertThat(slice.spend(charge(20), 0)).isNull();
    assertThat(ask(1).usage()).isEqualTo(new Usage(0, 10, 0));
  }

  @Test
  void aChangedLimitIsToldWhichPartOfTheHoldWasSpent() {
    answer(ask(10), 10);
    spend(3);
    assertThat(slice.spend(charge(20), 0)).isNull();
    assertThat(ask(1).usage()).isEqualTo(new Usage(3, 10, 0));
  }

  @Test
  void aQuestionWithoutAnAnswerIsFollowedByOneThatReportsAllThatWasSpent() {
    answer(ask(10), 10);
    spend(3);
    ask(10);
    spend(2);
    slice.unanswered(false);
    assertThat(slice.spend(charge(1_000), 0)).isNull();
    assertThat(ask(10).usage()).isEqualTo(new Usage(5, 10, UNTIL));
  }

  @Test
  void aQuestionThatWasNotSentLeavesTheHoldAsItWas() {
    answer(ask(10), 10);
    spend(3);
    ask(10);
    slice.unanswered(true);
    spend(7);
    assertThat(ask(10).usage()).isEqualTo(new Usage(10, 10, UNTIL));
  }

  @Test
  void withoutRoomForAnotherHolderEachRequestIsDecidedByTheStore() {
    answer(ask(10), 0); // although 100 remain
    assertThat(slice.spend(charge(1_000), 0)).isNull();
    assertThat(slice.ask(SIZE, 1, 10, 0)).isNull();
    assertThat(slice.ask(SIZE, 1, 10, 2_000_000_000L)).isNotNull();
  }
}
