package io.headgate;

import java.lang.ref.WeakReference;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends expired reservations in the background, every second. One daemon thread serves all limiters
 * of the JVM and never waits for a store. References the reservations weakly, so that a limiter
 * that is never closed can be garbage collected.
 */
final class ExpirySweeper implements Runnable, AutoCloseable {
  /** The highest number of reservations that one sweep ends. */
  static final int MAX_PER_SWEEP = 1_000;

  private static final ScheduledExecutorService THREAD = thread();

  private final WeakReference<Reservations> reservations;
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final ScheduledFuture<?> schedule;

  ExpirySweeper(Reservations reservations) {
    this.reservations = new WeakReference<>(reservations);
    this.schedule = THREAD.scheduleWithFixedDelay(this, 1, 1, TimeUnit.SECONDS);
  }

  /** Returns an executor whose thread ends when no limiter has been open for a second. */
  private static ScheduledExecutorService thread() {
    var executor =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("headgate-reservations").factory());
    executor.setRemoveOnCancelPolicy(true);
    executor.setKeepAliveTime(1, TimeUnit.SECONDS);
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /** Starts a sweep unless the last one still waits for the store. A failed one is repeated. */
  @Override
  public void run() {
    var target = reservations.get();
    if (target == null) {
      close();
    } else if (sweeping.compareAndSet(false, true)) {
      var unused = target.expireDue().whenComplete((count, problem) -> sweeping.set(false));
    }
  }

  @Override
  public void close() {
    schedule.cancel(false);
  }
}
