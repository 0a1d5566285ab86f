package io.headgate;

import java.lang.ref.WeakReference;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Ends expired reservations in the background: every second while the store has open ones, and
 * every {@link #IDLE_TICKS} seconds otherwise. The slow sweeps find the reservations of another
 * instance that has died, also if this one never reserves.
 *
 * <p>One daemon thread serves all limiters of the JVM and never waits for a store. References the
 * reservations weakly, so that a limiter that is never closed can be garbage collected.
 */
final class ExpirySweeper implements Runnable, AutoCloseable {
  /** The highest number of reservations that one sweep ends. */
  static final int MAX_PER_SWEEP = 1_000;

  /** The number of seconds between two sweeps while no reservation is known to be open. */
  static final int IDLE_TICKS = 10;

  private static final ScheduledExecutorService THREAD = thread();

  private final WeakReference<Reservations> reservations;
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private volatile @Nullable ScheduledFuture<?> schedule;
  private int idleTicks = IDLE_TICKS; // so that a start is followed by a sweep

  ExpirySweeper(Reservations reservations) {
    this.reservations = new WeakReference<>(reservations);
  }

  ExpirySweeper start() {
    schedule = THREAD.scheduleWithFixedDelay(this, 1, 1, TimeUnit.SECONDS);
    return this;
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

  /**
   * Starts a sweep if one is due, unless the last one still waits for the store. A failed one is
   * repeated. Called every second, by one thread.
   */
  @Override
  public void run() {
    var target = reservations.get();
    if (target == null) {
      close();
    } else if ((target.openCount() > 0 || ++idleTicks > IDLE_TICKS)
        && sweeping.compareAndSet(false, true)) {
      idleTicks = 0;
      var unused = target.expireDue().whenComplete((count, problem) -> sweeping.set(false));
    }
  }

  @Override
  public void close() {
    var running = schedule;
    if (running != null) running.cancel(false);
  }
}
