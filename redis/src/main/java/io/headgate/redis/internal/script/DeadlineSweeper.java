package io.headgate.redis.internal.script;

import io.headgate.redis.internal.connection.ReadBarrier;
import io.headgate.redis.internal.connection.StallMeter;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends waits at their deadline, a batch at a time, so that no request needs a timer of its own.
 *
 * <p>A deadline is for the store, not for this process. One that has passed is judged only after
 * the answers that lie in the sockets have been read; and the time in which this process was held
 * up, as the {@link StallMeter} has it, does not count. In all a wait takes {@link #longest} at
 * most, whatever is measured. The same holds for all of the first calls, whose code is cold.
 */
public final class DeadlineSweeper implements AutoCloseable {
  /** A wait takes at most so many deadlines. */
  static final int MOST_DEADLINES = 10;

  /** A wait takes at most so long, unless the deadline itself is longer. */
  static final Duration MOST = Duration.ofSeconds(1);

  /** A wait that is not in a lane, such as that of a caller for several calls. */
  private record Wait(CompletableFuture<?> future, long since) {}

  private final long deadline;
  private final long longest;
  private final Collection<Batcher> lanes;
  private final ReadBarrier barrier;
  private final LongSupplier nanos;
  private final StallMeter meter = new StallMeter();
  private final Queue<Wait> waits = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean reading = new AtomicBoolean(); // a barrier is under way
  private final AtomicBoolean urged = new AtomicBoolean(); // a look is due before its time
  private @Nullable ScheduledExecutorService thread;
  private long dueAt; // the next look; of the watching thread
  private volatile int coldCalls;

  /**
   * Does nothing by itself until {@link #start}.
   *
   * @param coldCalls how many calls have to be answered before the deadline itself applies
   * @param nanos a steady clock
   */
  public DeadlineSweeper(
      Duration deadline,
      int coldCalls,
      Collection<Batcher> lanes,
      ReadBarrier barrier,
      LongSupplier nanos) {
    this.deadline = deadline.toNanos();
    this.longest = longest(deadline).toNanos();
    this.coldCalls = coldCalls;
    this.lanes = lanes;
    this.barrier = barrier;
    this.nanos = nanos;
    this.dueAt = nanos.getAsLong() + interval();
  }

  void start() {
    thread =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("headgate-redis-watch").factory());
    var unused =
        thread.scheduleWithFixedDelay(
            this::lookInTime, interval(), interval(), TimeUnit.NANOSECONDS);
  }

  /** The longest that a wait takes, however much the process is held up. */
  public static Duration longest(Duration deadline) {
    var several = deadline.multipliedBy(MOST_DEADLINES);
    var bounded = several.compareTo(MOST) < 0 ? several : MOST;
    return bounded.compareTo(deadline) < 0 ? deadline : bounded;
  }

  static StoreException late(Duration deadline) {
    return new StoreException(
        Kind.TIMEOUT, "Redis did not answer within %d ms".formatted(deadline.toMillis()), null);
  }

  /** How often to look, in nanoseconds. */
  long interval() {
    return Math.max(1_000_000, deadline / 8);
  }

  /** The time in which an answer is expected, in nanoseconds. */
  long deadline() {
    return coldCalls > 0 ? longest : deadline;
  }

  /** The time after which a wait has ended, whatever was measured. */
  public long longest() {
    return longest;
  }

  /** Records how long it took to hand a call over, which the store has no part in. */
  public void handedOver(long since) {
    meter.record(since, nanos.getAsLong());
  }

  /** Counts an answered call, as long as the first ones are counted. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  public void answered() {
    int left = coldCalls;
    if (left > 0) coldCalls = left - 1; // two threads may count one call: the bound is not exact
  }

  /** Whether the deadline of something that began then has passed. */
  boolean isLate(long since) {
    return since - expired(nanos.getAsLong()) < 0;
  }

  /** Ends a wait that is at its deadline, now or as soon as it is judged. */
  public void judge(CompletableFuture<?> future, long since) {
    waits.add(new Wait(future, since));
    if (thread == null || !urged.compareAndSet(false, true)) return;
    try {
      thread.execute(this::lookBeforeTime);
    } catch (RejectedExecutionException e) {
      PendingReply.abandon(future, problem()); // closing
    }
  }

  private void lookBeforeTime() {
    urged.set(false);
    look();
  }

  private void lookInTime() {
    meter.record(dueAt, nanos.getAsLong());
    look();
    dueAt = nanos.getAsLong() + interval();
  }

  /** One look at all that waits; not by two threads at once. */
  public void look() {
    if (isIdle()) return;
    barrier.measure(meter, nanos);
    long now = nanos.getAsLong();
    expire(now - longest, now - longest); // whatever the event loops do
    if (!hasOverdue(now - deadline()) || !reading.compareAndSet(false, true)) return;
    barrier.afterReads(this::judge);
  }

  private boolean isIdle() {
    if (!waits.isEmpty()) return false;
    for (var lane : lanes) {
      if (!lane.isIdle()) return false;
    }
    return true;
  }

  private boolean hasOverdue(long then) {
    for (var wait : waits) {
      if (wait.since - then < 0) return true;
    }
    for (var lane : lanes) {
      if (!lane.isIdle() && lane.hasWaitedSince(then)) return true;
    }
    return false;
  }

  /** On the watching thread: what follows a failed wait must not hold up the event loop. */
  private void judge() {
    if (thread == null) {
      judgeNow();
      return;
    }
    try {
      thread.execute(this::judgeNow);
    } catch (RejectedExecutionException e) {
      reading.set(false); // closing
    }
  }

  private void judgeNow() {
    reading.set(false);
    long now = nanos.getAsLong();
    expire(expired(now), now - longest);
  }

  /** What has waited since before the moment that this returns has waited too long. */
  private long expired(long now) {
    return coldCalls > 0 ? now - longest : meter.runningSince(now, deadline, longest);
  }

  /**
   * @param unsent the same for calls that are still being handed over
   */
  private void expire(long then, long unsent) {
    StoreException problem = null;
    for (var lane : lanes) {
      if (lane.isIdle() || !lane.hasWaitedSince(then)) continue;
      if (problem == null) problem = problem();
      lane.expire(then, unsent, problem);
    }
    for (var waits = this.waits.iterator(); waits.hasNext(); ) {
      var wait = waits.next();
      if (wait.since - then < 0) PendingReply.abandon(wait.future, problem());
      if (wait.future.isDone()) waits.remove();
    }
  }

  private StoreException problem() {
    return late(Duration.ofNanos(deadline()));
  }

  @Override
  public void close() {
    if (thread != null) thread.shutdownNow();
  }
}
