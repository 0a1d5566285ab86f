package io.headgate.store;

import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * A monotonic wall clock.
 *
 * <p>Reads the wall clock once and adds the time elapsed by the monotonic clock. When the wall
 * clock is set forward, for example after a suspension, this clock follows within a second, so that
 * calendar windows stay correct. When it is set back, this clock does not follow: every denied
 * caller would otherwise be denied for the length of the step in addition.
 *
 * <p>Thread-safe.
 */
class SystemTicker implements Ticker {
  static final SystemTicker SHARED = new SystemTicker(SystemTicker::wallMicros);

  private static final long MAX_INTERVAL_MICROS = 1_000_000;

  /**
   * Doubles with each check. A first check after a second would invalidate the code that the JIT
   * compiler has produced for a busy limiter without it, and the code that replaces it is inlined
   * less.
   */
  private static final long FIRST_INTERVAL_MICROS = 100;

  private static final long TOLERANCE_MICROS = 10_000;

  private final LongSupplier wall;
  private volatile long offset; // added to the monotonic clock, in µs
  private volatile long nextCheck;
  private long interval = FIRST_INTERVAL_MICROS; // until nextCheck; guarded by this

  SystemTicker(LongSupplier wallMicros) {
    this.wall = wallMicros;
    long now = wallMicros.getAsLong();
    long monotonic = monotonicMicros();
    this.offset = now - monotonic;
    this.nextCheck = monotonic + FIRST_INTERVAL_MICROS;
  }

  @Override
  public long micros() {
    long monotonic = monotonicMicros();
    if (monotonic >= nextCheck) followWallClock();
    return monotonic + offset;
  }

  /**
   * Moves this clock ahead if the wall clock is ahead of it. Reads the wall clock first: if this
   * thread is descheduled between the two reads, the wall clock seems to be behind, which has no
   * effect. The other order would move this clock ahead, which can't be undone.
   */
  private synchronized void followWallClock() {
    long now = wall.getAsLong();
    long monotonic = monotonicMicros();
    if (monotonic < nextCheck) return; // another thread has checked
    interval = Math.min(2 * interval, MAX_INTERVAL_MICROS);
    nextCheck = monotonic + interval;
    long ahead = now - (monotonic + offset);
    if (ahead > TOLERANCE_MICROS) offset += ahead;
  }

  private long monotonicMicros() {
    return monotonicNanos() / 1_000;
  }

  /**
   * Reads the monotonic clock. A method that tests override: the JIT compiler calls a supplier only
   * after a check of its class.
   */
  long monotonicNanos() {
    return System.nanoTime();
  }

  private static long wallMicros() {
    var now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }
}
