package io.headgate.internal.script;

import io.headgate.store.CallDeadline;
import io.headgate.store.StoreException;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends waits at their deadline in periodic sweeps, so that no request needs its own timer. An
 * overdue wait ends only after the replies in the socket buffers have been read. Thread-safe.
 */
final class DeadlineSweeper implements AutoCloseable {
  /** A wait that belongs to no batcher, such as that for a plan of several calls. */
  private record Wait(CompletableFuture<?> future, long since) {}

  /** How long the deadline of a call waits for the replies that have arrived to be read. */
  private static final long MAX_READ_NANOS = 2_000_000;

  private final CommandDeadline deadline;
  private final Collection<Batcher> batchers;
  private final ReadBarrier barrier;
  private final Queue<Wait> waits = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean barrierPending = new AtomicBoolean(); // a barrier is in progress
  private final AtomicBoolean sweepRequested = new AtomicBoolean(); // an early sweep is scheduled
  private @Nullable ScheduledExecutorService thread;
  private long dueAt; // time of the next sweep; confined to the sweeper thread

  /**
   * Creates a sweeper, which runs no sweeps of its own until {@link #start}.
   *
   * @param batchers the batchers whose commands have the deadline; may change
   */
  DeadlineSweeper(CommandDeadline deadline, Collection<Batcher> batchers, ReadBarrier barrier) {
    this.deadline = deadline;
    this.batchers = batchers;
    this.barrier = barrier;
    this.dueAt = deadline.now() + deadline.sweepInterval();
  }

  void start() {
    thread =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("headgate-store-deadlines").factory());
    long interval = deadline.sweepInterval();
    var unused =
        thread.scheduleWithFixedDelay(
            this::sweepOnSchedule, interval, interval, TimeUnit.NANOSECONDS);
  }

  /** Fails a future when its deadline has passed, taking stalls into account. */
  void awaitDeadline(CompletableFuture<?> future, long since) {
    waits.add(new Wait(future, since));
    if (thread == null || !sweepRequested.compareAndSet(false, true)) return;
    try {
      thread.execute(this::sweepEarly);
    } catch (RejectedExecutionException e) {
      PendingReply.abandon(future, deadline.timeout()); // closing
    }
  }

  /**
   * Fails a future when the deadline of the current thread's call has passed, if it has one. The
   * replies that have arrived are read before.
   */
  void awaitCallDeadline(CompletableFuture<?> future) {
    var call = CallDeadline.current();
    if (call == null || future.isDone()) return;
    long since = deadline.now();
    call.onExpiry(() -> endAfterReads(future, () -> deadline.timeout(call, since)));
  }

  private void endAfterReads(CompletableFuture<?> future, Supplier<StoreException> failure) {
    if (future.isDone()) return;
    Runnable end =
        () -> {
          if (!future.isDone()) PendingReply.abandon(future, failure.get());
        };
    var sweeper = thread;
    if (sweeper == null) {
      barrier.afterReads(end);
      return;
    }
    try {
      var unused = sweeper.schedule(end, MAX_READ_NANOS, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      end.run(); // closing
      return;
    }
    barrier.afterReads(() -> {
      try {
        sweeper.execute(end);
      } catch (RejectedExecutionException e) {
        end.run(); // closing
      }
    });
  }

  private void sweepEarly() {
    sweepRequested.set(false);
    sweep();
  }

  private void sweepOnSchedule() {
    deadline.stalls().record(dueAt, deadline.now());
    sweep();
    dueAt = deadline.now() + deadline.sweepInterval();
  }

  /** Ends all overdue waits. Must not be called by two threads at a time. */
  void sweep() {
    if (isIdle()) return;
    barrier.measure(deadline.stalls(), deadline::now);
    long now = deadline.now();
    long longestAgo = now - deadline.maxWait();
    expire(longestAgo, longestAgo); // regardless of the event loops
    if (!hasOverdue(now - deadline.length()) || !barrierPending.compareAndSet(false, true)) return;
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
    long now = deadline.now();
    expire(deadline.cutoffAt(now), now - deadline.maxWait());
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
      if (failure == null) failure = deadline.timeout();
      batcher.expire(cutoff, sendingCutoff, failure);
    }
    for (var waits = this.waits.iterator(); waits.hasNext(); ) {
      var wait = waits.next();
      if (wait.since - cutoff < 0) PendingReply.abandon(wait.future, deadline.timeout());
      if (wait.future.isDone()) waits.remove();
    }
  }

  @Override
  public void close() {
    if (thread != null) thread.shutdownNow();
  }
}
