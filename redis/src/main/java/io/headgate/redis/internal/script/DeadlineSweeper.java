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
 * Ends waits at their deadline in periodic sweeps, so that no request needs its own timer.
 * Thread-safe.
 *
 * <p>A deadline limits the time of the store, not of this process. An overdue wait ends only after
 * the replies in the socket buffers have been read, and the time in which this process was stalled
 * ({@link StallMeter}) does not count. A wait never exceeds {@link #maxWait()}. That maximum
 * applies to the first calls as well, since their code is not compiled yet.
 */
public final class DeadlineSweeper implements AutoCloseable {
  /** The maximum length of a wait, in deadlines. */
  static final int MAX_DEADLINES = 10;

  /** The maximum length of a wait, unless the deadline itself is longer. */
  static final Duration MAX_WAIT = Duration.ofSeconds(1);

  /** A wait that belongs to no batcher, such as that for a plan of several calls. */
  private record Wait(CompletableFuture<?> future, long since) {}

  private final long deadline;
  private final long maxWait;
  private final Collection<Batcher> batchers;
  private final ReadBarrier barrier;
  private final LongSupplier nanos;
  private final StallMeter meter = new StallMeter();
  private final Queue<Wait> waits = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean barrierPending = new AtomicBoolean(); // a barrier is in progress
  private final AtomicBoolean sweepRequested = new AtomicBoolean(); // an early sweep is scheduled
  private @Nullable ScheduledExecutorService thread;
  private long dueAt; // time of the next sweep; confined to the sweeper thread
  private volatile int warmUpCalls;

  /**
   * Creates a sweeper, which runs no sweeps of its own until {@link #start}.
   *
   * @param warmUpCalls how many calls get the maximum wait before the deadline applies
   * @param nanos a monotonic clock
   */
  public DeadlineSweeper(
      Duration deadline,
      int warmUpCalls,
      Collection<Batcher> batchers,
      ReadBarrier barrier,
      LongSupplier nanos) {
    this.deadline = deadline.toNanos();
    this.maxWait = maxWait(deadline).toNanos();
    this.warmUpCalls = warmUpCalls;
    this.batchers = batchers;
    this.barrier = barrier;
    this.nanos = nanos;
    this.dueAt = nanos.getAsLong() + interval();
  }

  void start() {
    thread =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("headgate-redis-deadlines").factory());
    var unused =
        thread.scheduleWithFixedDelay(
            this::sweepOnSchedule, interval(), interval(), TimeUnit.NANOSECONDS);
  }

  /** Returns the maximum length of a wait, however long the process is stalled. */
  public static Duration maxWait(Duration deadline) {
    var several = deadline.multipliedBy(MAX_DEADLINES);
    var bounded = several.compareTo(MAX_WAIT) < 0 ? several : MAX_WAIT;
    return bounded.compareTo(deadline) < 0 ? deadline : bounded;
  }

  static StoreException timeout(Duration deadline) {
    return new StoreException(
        Kind.TIMEOUT, "Redis did not answer within %d ms".formatted(deadline.toMillis()), null);
  }

  /** Returns the interval of sweeps, in nanoseconds. */
  long interval() {
    return Math.max(1_000_000, deadline / 8);
  }

  /** Returns the current deadline, in nanoseconds. */
  long deadline() {
    return warmUpCalls > 0 ? maxWait : deadline;
  }

  /** Returns the maximum length of a wait, in nanoseconds. */
  public long maxWait() {
    return maxWait;
  }

  /** Records the time that it took to send a call, which does not count towards its deadline. */
  public void recordSend(long since) {
    meter.record(since, nanos.getAsLong());
  }

  /** Records that a call was answered, which ends the warm-up after enough calls. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  public void recordReply() {
    int left = warmUpCalls;
    if (left > 0) warmUpCalls = left - 1; // may lose a concurrent update: need not be exact
  }

  /** Returns whether the deadline of a wait that started at {@code since} has passed. */
  boolean isLate(long since) {
    return since - cutoffAt(nanos.getAsLong()) < 0;
  }

  /** Fails a future when its deadline has passed, taking stalls into account. */
  public void awaitDeadline(CompletableFuture<?> future, long since) {
    waits.add(new Wait(future, since));
    if (thread == null || !sweepRequested.compareAndSet(false, true)) return;
    try {
      thread.execute(this::sweepEarly);
    } catch (RejectedExecutionException e) {
      PendingReply.abandon(future, failure()); // closing
    }
  }

  private void sweepEarly() {
    sweepRequested.set(false);
    sweep();
  }

  private void sweepOnSchedule() {
    meter.record(dueAt, nanos.getAsLong());
    sweep();
    dueAt = nanos.getAsLong() + interval();
  }

  /** Ends all overdue waits. Must not be called by two threads at a time. */
  public void sweep() {
    if (isIdle()) return;
    barrier.measure(meter, nanos);
    long now = nanos.getAsLong();
    expire(now - maxWait, now - maxWait); // regardless of the event loops
    if (!hasOverdue(now - deadline()) || !barrierPending.compareAndSet(false, true)) return;
    barrier.afterReads(this::onReadsDone);
  }

  private boolean isIdle() {
    if (!waits.isEmpty()) return false;
    for (var batcher : batchers) {
      if (!batcher.isIdle()) return false;
    }
    return true;
  }

  private boolean hasOverdue(long cutoff) {
    for (var wait : waits) {
      if (wait.since - cutoff < 0) return true;
    }
    for (var batcher : batchers) {
      if (!batcher.isIdle() && batcher.hasPendingSince(cutoff)) return true;
    }
    return false;
  }

  /** Continues on the sweeper thread, since callbacks of failed waits must not block the loop. */
  private void onReadsDone() {
    if (thread == null) {
      expireOverdue();
      return;
    }
    try {
      thread.execute(this::expireOverdue);
    } catch (RejectedExecutionException e) {
      barrierPending.set(false); // closing
    }
  }

  private void expireOverdue() {
    barrierPending.set(false);
    long now = nanos.getAsLong();
    expire(cutoffAt(now), now - maxWait);
  }

  /** Returns the time before which a wait must have started to be overdue. */
  private long cutoffAt(long now) {
    return warmUpCalls > 0 ? now - maxWait : meter.runningSince(now, deadline, maxWait);
  }

  /**
   * Fails all waits that started before {@code cutoff}.
   *
   * @param sendingCutoff the same for calls that are still being sent
   */
  private void expire(long cutoff, long sendingCutoff) {
    StoreException failure = null;
    for (var batcher : batchers) {
      if (batcher.isIdle() || !batcher.hasPendingSince(cutoff)) continue;
      if (failure == null) failure = failure();
      batcher.expire(cutoff, sendingCutoff, failure);
    }
    for (var waits = this.waits.iterator(); waits.hasNext(); ) {
      var wait = waits.next();
      if (wait.since - cutoff < 0) PendingReply.abandon(wait.future, failure());
      if (wait.future.isDone()) waits.remove();
    }
  }

  private StoreException failure() {
    return timeout(Duration.ofNanos(deadline()));
  }

  @Override
  public void close() {
    if (thread != null) thread.shutdownNow();
  }
}
