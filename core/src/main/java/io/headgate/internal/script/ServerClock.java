package io.headgate.internal.script;

import io.headgate.store.Ticker;
import java.util.function.LongSupplier;

/**
 * The clock by which the server decides, in microseconds: its own, of which this instance has an
 * estimate, or a given one in tests. Thread-safe.
 */
final class ServerClock {
  /** For {@link #ServerClock}: the server's own clock. */
  static final LongSupplier SERVER = () -> -1;

  private final LongSupplier given;
  private final Ticker local;
  private volatile long offset; // the last measured difference of the server's clock to the local

  /**
   * Creates a clock.
   *
   * @param given the time of decisions; {@link #SERVER} except in tests
   * @param local the clock of this instance, from which the server's time is estimated
   */
  ServerClock(LongSupplier given, Ticker local) {
    this.given = given;
    this.local = local;
  }

  /** Returns the time to decide by; -1 for the server's own clock. */
  long decisionTime() {
    return given.getAsLong();
  }

  /** Returns the estimated time on the server. */
  long estimate() {
    long time = given.getAsLong();
    return time >= 0 ? time : local.micros() + offset;
  }

  /** Records the time that the server has returned. */
  void record(long serverTime) {
    offset = serverTime - local.micros();
  }
}
