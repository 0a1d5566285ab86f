package io.headgate.server.simulation;

/** Chooses round bucket lengths for a time axis. */
public final class TimeBuckets {
  private static final long[] MILLIS = {
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    30_000,
    60_000,
    120_000,
    300_000,
    600_000,
    1_800_000,
    3_600_000,
    7_200_000,
    21_600_000,
    43_200_000,
    86_400_000
  };

  /**
   * Returns the shortest round bucket length in milliseconds that divides the duration into at most
   * {@code max} buckets.
   */
  public static long millis(long durationMillis, int max) {
    for (long step : MILLIS) {
      if (Math.ceilDiv(durationMillis, step) <= max) return step;
    }
    long day = MILLIS[MILLIS.length - 1];
    return day * Math.ceilDiv(durationMillis, day * max);
  }

  private TimeBuckets() {}
}
