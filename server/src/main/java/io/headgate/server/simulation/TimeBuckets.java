package io.headgate.server.simulation;

/** Cuts a time into steps of a length that people like to read off an axis. */
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

  /** The shortest step of which no more than {@code most} make up the time, in milliseconds. */
  public static long millis(long durationMillis, int most) {
    for (long step : MILLIS) {
      if (Math.ceilDiv(durationMillis, step) <= most) return step;
    }
    long day = MILLIS[MILLIS.length - 1];
    return day * Math.ceilDiv(durationMillis, day * most);
  }

  private TimeBuckets() {}
}
