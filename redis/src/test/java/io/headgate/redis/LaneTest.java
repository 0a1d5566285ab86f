package io.headgate.redis;

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
class LaneTest {
  private static final Plan PLAN =
      RuleSet.of(
              Rule.named("r").match("key", "*").limit(new TokenBucket(Rate.perSecond(9))).build())
          .plan(Request.of(Subject.of("k")), 0, 0);

  private final List<Lane.Call> sent = new ArrayList<>();
  private final Lane lane = new Lane(sent::add);

  @Test
  void whoComesWhenNothingIsOnItsWayLeavesAtOnceAndAlone() {
    submit(1);
    assertThat(sizes()).containsExactly(1);
    submit(1);
    assertThat(sizes()).containsExactly(1, 1);
  }

  @Test
  void thoseWhoComeMeanwhileLeaveTogetherWhenACallComesBack() {
    submit(1);
    submit(1);
    submit(10);
    assertThat(sizes()).containsExactly(1, 1);
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 10);
    submit(5);
    answer(1);
    assertThat(sizes()).containsExactly(1, 1, 10, 5);
  }

  @Test
  void manyAreDividedBetweenTheTwoCallsSoThatNeitherSideIsIdle() {
    submit(1);
    submit(1);
    submit(62);
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 32);
    answer(1);
    assertThat(sizes()).containsExactly(1, 1, 32, 30);
  }

  @Test
  void aBatchHasABound() {
    submit(2);
    submit(2 * Lane.LARGEST_BATCH + 3);
    answer(0);
    answer(1);
    answer(2);
    assertThat(sizes()).containsExactly(1, 1, Lane.LARGEST_BATCH, Lane.LARGEST_BATCH, 3);
  }

  @Test
  void whoGaveUpWaitingIsNeverSent() {
    submit(2);
    var late = submit(3);
    lane.expire(System.nanoTime(), problem());
    submit(1);
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 1);
    assertThat(late).allMatch(Ask::isCompletedExceptionally);
  }

  @Test
  void anExpiredCallKeepsItsPlaceUntilItComesBackSoThatNothingMoreIsSentIntoTheSilence() {
    submit(2);
    lane.expire(System.nanoTime(), problem());
    submit(10);
    assertThat(sizes()).containsExactly(1, 1);
    answer(0);
    assertThat(sizes()).containsExactly(1, 1, 10);
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
    submit(2);
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
    submit(5);
    assertThat(lane.isIdle()).isFalse();
    for (int i = 0; i < 3; i++) answer(i);
    assertThat(lane.isIdle()).isTrue();
  }

  private static final StoreException PROBLEM = new StoreException(Kind.TIMEOUT, "late", null);

  private static StoreException problem() {
    return PROBLEM;
  }

  private List<Ask.OfPlan> submit(int count) {
    var asks = new ArrayList<Ask.OfPlan>();
    for (int i = 0; i < count; i++) {
      var ask = new Ask.OfPlan(PLAN, true);
      asks.add(ask);
      lane.submit(ask);
    }
    return asks;
  }

  private List<Integer> sizes() {
    return sent.stream().map(call -> call.asks.size()).toList();
  }

  private void answer(int call) {
    var said = new NumberWriter();
    for (var unused : sent.get(call).asks) said.put(0).put(8).put(111_112).put(0);
    sent.get(call).end(said.array());
  }
}
