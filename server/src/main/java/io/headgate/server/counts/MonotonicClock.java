package io.headgate.server.counts;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The time of day, as a clock tells it that is never put back: the time when it was made and what
 * has passed since. If the system's clock is put back, this one goes on as before and stays ahead.
 * If that is put forward, or the machine has slept, this one follows, by whole seconds, so that
 * what is done a little after each second stays a little after it.
 *
 * <p>For any thread.
 */
public final class MonotonicClock implements LongSupplier {
  private final LongSupplier wall;
  private final LongSupplier nanos;
  private final long since;
  private final AtomicLong anchor; // the time of day when nothing had passed

  public MonotonicClock() {
    this(System::currentTimeMillis, System::nanoTime);
  }

  /**
   * @param wall milliseconds since 1970
   * @param nanos as {@link System#nanoTime}
   */
  public MonotonicClock(LongSupplier wall, LongSupplier nanos) {
    this.wall = wall;
    this.nanos = nanos;
    this.since = nanos.getAsLong();
    this.anchor = new AtomicLong(wall.getAsLong());
  }

  /** Milliseconds since 1970. */
  @Override
  public long getAsLong() {
    long passed = (nanos.getAsLong() - since) / 1_000_000;
    long anchored = anchor.get();
    long behind = (wall.getAsLong() - anchored - passed) / 1_000 * 1_000;
    if (behind <= 0) return anchored + passed;
    // Who comes second at the same moment finds it done.
    anchor.compareAndSet(anchored, anchored + behind);
    return anchor.get() + passed;
  }
}
