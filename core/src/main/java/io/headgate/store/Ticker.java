package io.headgate.store;

/** Microseconds since the epoch: the one door through which time enters Headgate. */
@FunctionalInterface
public interface Ticker {
  long micros();

  /** Waits; a clock that is turned by hand moves on instead. */
  default void sleep(long micros) throws InterruptedException {
    if (micros > 0) Thread.sleep(micros / 1_000, (int) (micros % 1_000) * 1_000);
  }

  /** The wall clock of this machine, made monotonic. */
  static Ticker system() {
    return SystemTicker.SHARED;
  }
}
