package io.headgate.server.counts;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A wall clock that never goes back: the time of its creation plus the elapsed monotonic time. If
 * the system clock is set back, this clock continues and stays ahead. If the system clock is set
 * forward, or the machine slept, this clock follows in whole seconds, so that tasks scheduled
 * shortly after each second stay there.
 *
 * <p>Thread-safe.
 */
public final class MonotonicClock implements LongSupplier {
  private final LongSupplier wall;
  private final LongSupplier nanos;
  private final long startNanos;
  private final AtomicLong origin; // wall time that corresponds to startNanos

  public MonotonicClock() {
    this(System::currentTimeMillis, System::nanoTime);
  }

  /**
   * @param wall milliseconds since the epoch
   * @param nanos as {@link System#nanoTime}
   */
  public MonotonicClock(LongSupplier wall, LongSupplier nanos) {
    this.wall = wall;
    this.nanos = nanos;
    this.startNanos = nanos.getAsLong();
    this.origin = new AtomicLong(wall.getAsLong());
  }

  /** Returns milliseconds since the epoch. */
  @Override
  public long getAsLong() {
    long elapsed = (nanos.getAsLong() - startNanos) / 1_000_000;
    long start = origin.get();
    long behind = (wall.getAsLong() - start - elapsed) / 1_000 * 1_000;
    if (behind <= 0) return start + elapsed;
    // A concurrent update of the same step makes this one fail, which is fine.
    origin.compareAndSet(start, start + behind);
    return origin.get() + elapsed;
  }
}
