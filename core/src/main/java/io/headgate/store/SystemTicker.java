package io.headgate.store;

import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * The wall clock, without its steps back.
 *
 * <p>Counts on from a moment of the wall clock by the clock that never steps. When the wall clock
 * is set forward (after a suspension, say) this one follows within a second, so that calendar
 * windows stay true; when it is set back this one goes on, since otherwise everybody who is being
 * limited would stay so for as long as the step was.
 */
final class SystemTicker implements Ticker {
  static final SystemTicker SHARED = new SystemTicker(SystemTicker::wallMicros, System::nanoTime);

  private static final long LOOK_EVERY_MICROS = 1_000_000;
  private static final long TOLERATED_MICROS = 10_000;

  private final LongSupplier wall;
  private final LongSupplier steadyNanos;
  private volatile long offset; // what to add to the steady clock, in µs
  private volatile long nextLook;

  SystemTicker(LongSupplier wallMicros, LongSupplier steadyNanos) {
    this.wall = wallMicros;
    this.steadyNanos = steadyNanos;
    long now = wallMicros.getAsLong();
    long steady = steady();
    this.offset = now - steady;
    this.nextLook = steady + LOOK_EVERY_MICROS;
  }

  @Override
  public long micros() {
    long steady = steady();
    if (steady >= nextLook) lookAtTheWall();
    return steady + offset;
  }

  /**
   * Reads the wall clock first: if this thread is held up between the two, the wall seems to be
   * behind, which is looked into again, and not ahead, which could not be taken back.
   */
  private synchronized void lookAtTheWall() {
    long now = wall.getAsLong();
    long steady = steady();
    if (steady < nextLook) return; // another thread has looked
    nextLook = steady + LOOK_EVERY_MICROS;
    long ahead = now - (steady + offset);
    if (ahead > TOLERATED_MICROS) offset += ahead;
  }

  private long steady() {
    return steadyNanos.getAsLong() / 1_000;
  }

  private static long wallMicros() {
    var now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }
}
