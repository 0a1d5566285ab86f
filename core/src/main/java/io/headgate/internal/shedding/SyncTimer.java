package io.headgate.internal.shedding;

import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Exchanges signals and levels with the store in the background: every {@link #INTERVAL_MILLIS},
 * and shortly after a report. Starts its thread on first use. Thread-safe.
 */
public final class SyncTimer implements AutoCloseable {
  static final long INTERVAL_MILLIS = 500;
  private static final long FLUSH_DELAY_MILLIS = 20;

  private final Shedder shedder;
  private final AtomicBoolean started = new AtomicBoolean();
  private final AtomicBoolean flushing = new AtomicBoolean();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("headgate-shedding").factory());

  /** Creates a timer that is not started. */
  public SyncTimer(Shedder shedder) {
    this.shedder = shedder;
  }

  /** Starts the thread unless it runs. */
  public void start() {
    if (!started.compareAndSet(false, true)) return;
    var unused =
        thread.scheduleWithFixedDelay(
            this::sync, INTERVAL_MILLIS, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Sends queued signals soon. */
  public void flushSoon() {
    if (thread.isShutdown() || !flushing.compareAndSet(false, true)) return;
    try {
      var unused = thread.schedule(this::flush, FLUSH_DELAY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      flushing.set(false); // closed meanwhile
    }
  }

  private void flush() {
    flushing.set(false);
    var unused = shedder.flush();
  }

  private void sync() {
    shedder.sync().join(); // every call has a timeout
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
