package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.internal.connection.ReadBarrier;
import io.headgate.redis.internal.connection.StallMeter;
import io.headgate.redis.internal.script.Batcher;
import io.headgate.redis.internal.script.DeadlineSweeper;
import io.headgate.redis.internal.script.MessagePackWriter;
import io.headgate.redis.internal.script.ScriptCommand;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** When a wait is given up, by a clock and event loops that are turned by hand. */
class DeadlineTest {
  private static final long MILLI = 1_000_000;
  private static final Duration DEADLINE = Duration.ofMillis(50);
  private static final Plan PLAN =
      RuleSet.of(Rule.named("r").limit(new TokenBucket(Rate.perSecond(9))).build())
          .plan(Request.of(Subject.of("k")), 0, 0);

  private final AtomicLong clock = new AtomicLong(System.nanoTime());
  private final List<Batcher.Call> sent = new ArrayList<>();
  private final Batcher lane = new Batcher(sent::add);
  private final Sockets sockets = new Sockets();
  private DeadlineSweeper watch = watch(0);

  /** What lies in the sockets, and the threads that read it. */
  private static final class Sockets implements ReadBarrier {
    final List<Runnable> unread = new ArrayList<>();
    final List<Runnable> barriers = new ArrayList<>();
    long lag;

    @Override
    public void afterReads(Runnable action) {
      barriers.add(action);
    }

    @Override
    public void measure(StallMeter meter, LongSupplier nanos) {
      if (lag > 0) meter.record(nanos.getAsLong() - lag, nanos.getAsLong());
    }

    void read() {
      unread.forEach(Runnable::run);
      unread.clear();
      var ready = List.copyOf(barriers);
      barriers.clear();
      ready.forEach(Runnable::run);
    }
  }

  @Test
  void aSilentServerIsGivenUpAtTheDeadline() {
    var ask = submit();
    look(49);
    assertThat(ask).isNotDone();
    look(51);
    assertTimedOut(ask);
  }

  @Test
  void anAnswerThatLiesInTheSocketIsReadBeforeTheDeadlineIsJudged() {
    var ask = submit();
    sockets.unread.add(this::answer);
    look(400);
    assertThat(ask).isCompleted();
    assertThat(ask.isCompletedExceptionally()).isFalse();
  }

  @Test
  void theTimeInWhichTheEventLoopDidNotRunDoesNotCount() {
    var ask = submit();
    sockets.lag = 40 * MILLI;
    look(60);
    assertThat(ask).isNotDone();
    sockets.lag = 0;
    look(89);
    assertThat(ask).isNotDone();
    look(91);
    assertTimedOut(ask);
  }

  @Test
  void theTimeInWhichACallWasHandedOverDoesNotCount() {
    var ask = submit();
    clock.addAndGet(30 * MILLI);
    watch.handedOver(ask.since);
    look(40); // 70 since the question, of which 30 were lost before it left
    assertThat(ask).isNotDone();
    look(81);
    assertTimedOut(ask);
  }

  @Test
  void aStuckEventLoopHoldsUpCallersForTenDeadlinesAtMost() {
    var ask = submit();
    clock.set(ask.since + 499 * MILLI);
    watch.look();
    assertThat(ask).isNotDone();
    clock.set(ask.since + 501 * MILLI);
    watch.look();
    assertTimedOut(ask);
  }

  @Test
  void theFirstCallsHaveTheLongestDeadlineUntilEnoughOfThemAreAnswered() {
    watch = watch(2);
    var ask = submit();
    look(490);
    assertThat(ask).isNotDone();
    watch.answered();
    look(499);
    assertThat(ask).isNotDone();
    watch.answered();
    look(499);
    assertTimedOut(ask);
  }

  @Test
  void aCallerWhoWaitsForSeveralCallsIsJudgedInTheSameWay() {
    var caller = new CompletableFuture<String>();
    watch.judge(caller, clock.get());
    sockets.unread.add(() -> caller.complete("in time"));
    look(60);
    assertThat(caller).isCompletedWithValue("in time");
    var late = new CompletableFuture<String>();
    watch.judge(late, clock.get() - 60 * MILLI);
    look(60);
    assertThat(late).isCompletedExceptionally();
  }

  @Test
  void noWaitIsLongerThanTenDeadlinesOrASecond() {
    assertThat(DeadlineSweeper.longest(Duration.ofMillis(1))).isEqualTo(Duration.ofMillis(10));
    assertThat(DeadlineSweeper.longest(Duration.ofMillis(50))).isEqualTo(Duration.ofMillis(500));
    assertThat(DeadlineSweeper.longest(Duration.ofMillis(300))).isEqualTo(Duration.ofSeconds(1));
    assertThat(DeadlineSweeper.longest(Duration.ofSeconds(20))).isEqualTo(Duration.ofSeconds(20));
  }

  private DeadlineSweeper watch(int warmUpCalls) {
    return new DeadlineSweeper(DEADLINE, warmUpCalls, List.of(lane), sockets, clock::get);
  }

  private ScriptCommand.OfPlan submit() {
    var ask = new ScriptCommand.OfPlan(PLAN, true);
    clock.set(ask.since);
    lane.submit(ask);
    return ask;
  }

  /** Looks so many milliseconds after the question, and lets the event loops have a round. */
  private void look(long millis) {
    clock.set(
        sent.isEmpty() ? clock.get() : sent.getFirst().asks.getFirst().since + millis * MILLI);
    watch.look();
    sockets.read();
  }

  private void answer() {
    sent.getFirst().end(new MessagePackWriter().put(1_000_000).put(0).put(8).put(1).put(0).array());
  }

  private static void assertTimedOut(CompletableFuture<?> ask) {
    assertThat(ask.exceptionNow())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TIMEOUT));
  }
}
