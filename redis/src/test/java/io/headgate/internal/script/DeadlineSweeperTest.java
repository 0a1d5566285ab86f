package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.headgate.store.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Ends of waits, with a manual clock and manual event loops. */
class DeadlineSweeperTest {
  private static final long MILLI = 1_000_000;
  private static final Duration DEADLINE = Duration.ofMillis(50);
  private static final Plan PLAN =
      RuleSet.of(Rule.named("r").limit(TokenBucket.of(Rate.perSecond(9))).build())
          .plan(Request.of(Subject.of("k")), 0, 0);

  private final AtomicLong clock = new AtomicLong(System.nanoTime());
  private long submittedAt = clock.get();
  private final PendingConnection connection = new PendingConnection();
  private final Sockets sockets = new Sockets();
  private CommandDeadline deadline = deadline(0);
  private Batcher batcher = batcher();
  private DeadlineSweeper sweeper = sweeper();

  /** Simulated socket buffers and event loops. */
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
  void waitForSilentServerEndsAtDeadline() {
    var command = submit();
    sweep(49);
    assertThat(command).isNotDone();
    sweep(51);
    assertTimedOut(command);
  }

  @Test
  void replyInSocketIsReadBeforeDeadlineApplies() {
    var command = submit();
    sockets.unread.add(this::reply);
    sweep(400);
    assertThat(command).isCompleted();
    assertThat(command.isCompletedExceptionally()).isFalse();
  }

  @Test
  void eventLoopStallDoesNotCountTowardsDeadline() {
    var command = submit();
    sockets.lag = 40 * MILLI;
    sweep(60);
    assertThat(command).isNotDone();
    sockets.lag = 0;
    sweep(89);
    assertThat(command).isNotDone();
    sweep(91);
    assertTimedOut(command);
  }

  @Test
  void timeToSendDoesNotCountTowardsDeadline() {
    var command = submit();
    clock.addAndGet(30 * MILLI);
    deadline.recordSend(command.since);
    sweep(40); // 70 ms since submission, of which 30 were spent before sending
    assertThat(command).isNotDone();
    sweep(81);
    assertTimedOut(command);
  }

  @Test
  void stuckEventLoopDelaysCallersByAtMostTenDeadlines() {
    var command = submit();
    clock.set(command.since + 499 * MILLI);
    sweeper.sweep();
    assertThat(command).isNotDone();
    clock.set(command.since + 501 * MILLI);
    sweeper.sweep();
    assertTimedOut(command);
  }

  @Test
  void warmUpCallsGetTheMaximumWait() {
    deadline = deadline(2);
    batcher = batcher();
    sweeper = sweeper();
    var command = submit();
    sweep(490);
    assertThat(command).isNotDone();
    deadline.recordReply();
    sweep(499);
    assertThat(command).isNotDone();
    deadline.recordReply();
    sweep(499);
    assertTimedOut(command);
  }

  @Test
  void waitForSeveralCallsHasTheSameDeadline() {
    var caller = new CompletableFuture<String>();
    sweeper.awaitDeadline(caller, clock.get());
    sockets.unread.add(() -> caller.complete("in time"));
    sweep(60);
    assertThat(caller).isCompletedWithValue("in time");
    var late = new CompletableFuture<String>();
    sweeper.awaitDeadline(late, clock.get() - 60 * MILLI);
    sweep(60);
    assertThat(late).isCompletedExceptionally();
  }

  @Test
  void waitIsBoundedByTenDeadlinesAndOneSecond() {
    assertThat(CommandDeadline.maxWait(Duration.ofMillis(1))).isEqualTo(Duration.ofMillis(10));
    assertThat(CommandDeadline.maxWait(Duration.ofMillis(50))).isEqualTo(Duration.ofMillis(500));
    assertThat(CommandDeadline.maxWait(Duration.ofMillis(300))).isEqualTo(Duration.ofSeconds(1));
    assertThat(CommandDeadline.maxWait(Duration.ofSeconds(20))).isEqualTo(Duration.ofSeconds(20));
  }

  private CommandDeadline deadline(int warmUpCalls) {
    return new CommandDeadline("Redis", DEADLINE, warmUpCalls, clock::get);
  }

  private Batcher batcher() {
    return new Batcher(
        connection,
        new CounterKeys("d:"),
        new ServerClock(ServerClock.SERVER, Ticker.system()),
        deadline,
        BatchListener.NONE);
  }

  private DeadlineSweeper sweeper() {
    return new DeadlineSweeper(deadline, List.of(batcher), sockets);
  }

  private ScriptCommand.PlanCommand submit() {
    submittedAt = clock.get();
    var command = new ScriptCommand.PlanCommand(PLAN, true, back -> {});
    batcher.submit(command);
    return command;
  }

  /** Sweeps some milliseconds after the submission and runs one iteration of the event loops. */
  private void sweep(long millis) {
    clock.set(submittedAt + millis * MILLI);
    sweeper.sweep();
    sockets.read();
  }

  private void reply() {
    var reply = new MessagePackWriter().put(1_000_000).put(0).put(8).put(1).put(0).array();
    connection.calls.getFirst().reply().complete(reply);
  }

  private static void assertTimedOut(CompletableFuture<?> command) {
    assertThat(command.exceptionNow())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TIMEOUT));
  }
}
