package io.headgate.store;

/**
 * A clock in microseconds since the epoch. Limiters and in-memory stores read time from a ticker
 * only, so that tests can control it. Thread-safe.
 */
@FunctionalInterface
public interface Ticker {
  /** Returns the current time in microseconds since the epoch. */
  long micros();

  /** Blocks for the given time. A manual clock advances instead. */
  default void sleep(long micros) throws InterruptedException {
    if (micros > 0) Thread.sleep(micros / 1_000, (int) (micros % 1_000) * 1_000);
  }

  /** Returns the wall clock of this machine, made monotonic. */
  static Ticker system() {
    return SystemTicker.SHARED;
  }
}
