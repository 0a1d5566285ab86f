package io.headgate.store;

import java.lang.ref.WeakReference;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Sweeps a cell table in the background, a tenth of it each second. One daemon thread serves all
 * stores of the JVM. References the table weakly, so that a store that is never closed can be
 * garbage collected.
 */
final class Sweeper implements Runnable, AutoCloseable {
  private static final int PARTS = 10;
  private static final ScheduledExecutorService THREAD =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("headgate-sweeper").factory());

  private final WeakReference<CellTable> table;
  private final Ticker ticker;
  private final ScheduledFuture<?> schedule;
  private int part;

  Sweeper(CellTable table, Ticker ticker) {
    this.table = new WeakReference<>(table);
    this.ticker = ticker;
    this.schedule = THREAD.scheduleWithFixedDelay(this, 1, 1, TimeUnit.SECONDS);
  }

  @Override
  public void run() {
    var target = table.get();
    if (target == null) {
      close();
    } else {
      target.sweep(ticker.micros(), part, PARTS);
      part = (part + 1) % PARTS;
    }
  }

  @Override
  public void close() {
    schedule.cancel(false);
  }
}
