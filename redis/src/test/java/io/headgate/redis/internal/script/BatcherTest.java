package io.headgate.redis.internal.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** A sender that keeps its calls until the test answers them stands for a server far away. */
class BatcherTest {
  private static final Plan PLAN =
      RuleSet.of(
              Rule.named("r").match("key", "*").limit(new TokenBucket(Rate.perSecond(9))).build())
          .plan(Request.of(Subject.of("k")), 0, 0);

  private final List<Batcher.Call> sent = new ArrayList<>();
  private final Batcher lane = new Batcher(sent::add);

  @Test
  void whoComesWhileACallMayLeaveLeavesAtOnceAndAlone() {
    submit(1);
    assertThat(sizes()).containsExactly(1);
    submit(Batcher.AT_ONCE - 1);
    assertThat(sizes()).containsExactly(1, 1, 1, 1);
  }

  @Test
  void thoseWhoComeMeanwhileLeaveTogetherWhenACallComesBack() {
    submit(Batcher.AT_ONCE);
    submit(10);
    assertThat(sizes()).containsExactly(1, 1, 1, 1);
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 10);
    submit(5);
    answer(1);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 10, 5);
  }

  @Test
  void manyAreDividedAmongTheCallsSoThatNeitherSideIsIdle() {
    submit(Batcher.AT_ONCE);
    submit(96);
    for (int call = 0; call < Batcher.AT_ONCE; call++) answer(call);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 25, 25, 25, 21);
  }

  @Test
  void fewLeaveTogether() {
    submit(Batcher.AT_ONCE);
    submit(20);
    answer(0);
    answer(1);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 16, 4);
  }

  @Test
  void aBatchHasABound() {
    submit(Batcher.AT_ONCE);
    submit(3 * Batcher.LARGEST_BATCH + 200);
    answer(0);
    answer(1);
    answer(2);
    answer(3);
    answer(4);
    int most = Batcher.LARGEST_BATCH;
    assertThat(sizes()).containsExactly(1, 1, 1, 1, most, most, most, most, 72);
  }

  @Test
  void whoGaveUpWaitingIsNeverSent() {
    submit(Batcher.AT_ONCE);
    var late = submit(3);
    lane.expire(System.nanoTime(), problem());
    submit(1);
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 1);
    assertThat(late).allMatch(ScriptCommand::isCompletedExceptionally);
  }

  @Test
  void anExpiredCallKeepsItsPlaceUntilItComesBackSoThatNothingMoreIsSentIntoTheSilence() {
    submit(Batcher.AT_ONCE);
    lane.expire(System.nanoTime(), problem());
    submit(10);
    assertThat(sizes()).containsExactly(1, 1, 1, 1);
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 10);
  }

  @Test
  void aDeadlineIsCountedFromTheQuestionAlsoForThoseWhoWaitedInLine() {
    submit(Batcher.AT_ONCE);
    var waited = submit(1).getFirst();
    long then = System.nanoTime();
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 1, 1, 1);
    lane.expire(then, problem());
    assertThat(waited).isCompletedExceptionally();
  }

  @Test
  void anAnswerThatCannotBeReadFailsAllThatItWasFor() {
    submit(Batcher.AT_ONCE);
    var asks = submit(3);
    answer(0);
    sent.getLast().end(new MessagePackWriter().put(1).put(0).put(8).put(1).put(0).array());
    assertThat(asks.getFirst()).isCompleted();
    assertThat(asks.subList(1, 3)).allMatch(ScriptCommand::isCompletedExceptionally);
    for (int call = 1; call < Batcher.AT_ONCE; call++) answer(call);
    assertThat(lane.isIdle()).isTrue();
  }

  @Test
  void aFailedCallFailsThoseInItAndNoOthers() {
    var first = submit(1);
    var second = submit(1);
    sent.getFirst().end(problem());
    assertThat(first.getFirst()).isCompletedExceptionally();
    assertThat(second.getFirst()).isNotDone();
    assertThatThrownBy(first.getFirst()::join)
        .isInstanceOf(CompletionException.class)
        .hasRootCause(problem());
  }

  @Test
  void tooManyWhoWaitAreTurnedAway() {
    submit(Batcher.AT_ONCE);
    submit(10_000);
    var tooMany = submit(1).getFirst();
    assertThat(tooMany.exceptionNow())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.OVERLOADED));
    answer(0);
    assertThat(submit(1).getFirst()).isNotDone();
  }

  @Test
  void anIdleLaneIsIdleAgainAfterItsWork() {
    assertThat(lane.isIdle()).isTrue();
    submit(Batcher.AT_ONCE + 3);
    assertThat(lane.isIdle()).isFalse();
    for (int call = 0; call <= Batcher.AT_ONCE; call++) answer(call);
    assertThat(lane.isIdle()).isTrue();
  }

  private static final StoreException PROBLEM = new StoreException(Kind.TIMEOUT, "late", null);

  private static StoreException problem() {
    return PROBLEM;
  }

  private List<ScriptCommand.OfPlan> submit(int count) {
    var asks = new ArrayList<ScriptCommand.OfPlan>();
    for (int i = 0; i < count; i++) {
      var ask = new ScriptCommand.OfPlan(PLAN, true);
      asks.add(ask);
      lane.submit(ask);
    }
    return asks;
  }

  private List<Integer> sizes() {
    return sent.stream().map(call -> call.asks.size()).toList();
  }

  private void answer(int call) {
    var said = new MessagePackWriter().put(1_000_000);
    for (var unused : sent.get(call).asks) said.put(0).put(8).put(111_112).put(0);
    sent.get(call).end(said.array());
  }
}
