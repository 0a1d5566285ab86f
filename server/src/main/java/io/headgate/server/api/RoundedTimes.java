package io.headgate.server.api;

import java.time.Duration;

/** Times as answers give them: rounded up, so that nobody comes too early. */
public final class RoundedTimes {
  public static long micros(Duration time) {
    return time.getSeconds() * 1_000_000 + time.getNano() / 1_000;
  }

  public static long millis(long micros) {
    return Math.ceilDiv(micros, 1_000L);
  }

  static long seconds(long micros) {
    return Math.ceilDiv(micros, 1_000_000L);
  }

  /** What is left of a time after some of it has passed. */
  public static long rest(Duration time, long passedMicros) {
    return Math.max(0, micros(time) - passedMicros);
  }

  private RoundedTimes() {}
}
