package io.headgate.http;

import java.time.Duration;

/**
 * Converts times for responses. Milliseconds and seconds are rounded up, so that a client never
 * retries too early.
 */
public final class RoundedTimes {
  /** Returns the time in microseconds, rounded down. */
  public static long micros(Duration time) {
    return time.getSeconds() * 1_000_000 + time.getNano() / 1_000;
  }

  /** Returns the time in milliseconds, rounded up. */
  public static long millis(long micros) {
    return Math.ceilDiv(micros, 1_000L);
  }

  /** Returns the time in seconds, rounded up. */
  public static long seconds(long micros) {
    return Math.ceilDiv(micros, 1_000_000L);
  }

  /** Returns the microseconds that remain of a time after some have passed; at least 0. */
  public static long remaining(Duration time, long passedMicros) {
    return Math.max(0, micros(time) - passedMicros);
  }

  private RoundedTimes() {}
}
