package io.headgate.server.simulation;

import java.util.Arrays;

/**
 * Counts events by time when the total duration is unknown. When there are too many buckets, they
 * are merged into longer ones. Not thread-safe.
 */
public final class Timeline {
  /** Bucket lengths, each a multiple of the previous one, so that buckets can be merged. */
  private static final long[] SECONDS = {
    1,
    2,
    10,
    30,
    60,
    300,
    600,
    1_800,
    3_600,
    7_200,
    21_600,
    43_200,
    86_400,
    864_000,
    8_640_000,
    86_400_000,
    864_000_000,
    8_640_000_000L
  };

  static final int MAX_STEPS = 300;

  private final long[][] counts;
  private int scale;
  private long first; // number of the first step since the epoch
  private int steps;

  /**
   * @param series number of series to count
   */
  Timeline(int series) {
    counts = new long[series][MAX_STEPS];
  }

  /** Counts an event. A time before the first step counts in the first step. */
  void add(int series, long micros) {
    int step = step(micros); // may replace the arrays
    counts[series][step]++;
  }

  private int step(long micros) {
    if (steps == 0) {
      first = micros / stepMicros();
      steps = 1;
    }
    long offset = micros / stepMicros() - first;
    while (offset >= MAX_STEPS) {
      mergeSteps();
      offset = micros / stepMicros() - first;
    }
    int step = (int) Math.max(0, offset);
    steps = Math.max(steps, step + 1);
    return step;
  }

  private void mergeSteps() {
    long before = SECONDS[scale++];
    long times = SECONDS[scale] / before;
    long newFirst = first / times;
    for (int s = 0; s < counts.length; s++) {
      var merged = new long[MAX_STEPS];
      for (int i = 0; i < steps; i++) {
        merged[(int) ((first + i) / times - newFirst)] += counts[s][i];
      }
      counts[s] = merged;
    }
    steps = (int) ((first + steps - 1) / times - newFirst) + 1;
    first = newFirst;
  }

  private long stepMicros() {
    return SECONDS[scale] * 1_000_000;
  }

  /** Returns the start of the first step, in milliseconds since the epoch. */
  public long fromMillis() {
    return first * stepMillis();
  }

  public long stepMillis() {
    return SECONDS[scale] * 1_000;
  }

  /** Returns the counts of each step of a series. */
  public long[] counts(int series) {
    return Arrays.copyOf(counts[series], steps);
  }
}
