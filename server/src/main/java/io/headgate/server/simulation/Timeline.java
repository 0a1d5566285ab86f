package io.headgate.server.simulation;

import java.util.Arrays;

/**
 * Counts by time, of a time whose length nobody knows before its end: where the steps become too
 * many, they become longer.
 */
public final class Timeline {
  /** Each is so many times the one before, so that steps can be put together. */
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

  static final int MOST_STEPS = 300;

  private final long[][] counts;
  private int scale;
  private long first; // the number of the first step since the epoch
  private int steps;

  /**
   * @param series how many things are counted
   */
  Timeline(int series) {
    counts = new long[series][MOST_STEPS];
  }

  /** What comes later must not come in a step before the first. */
  void add(int series, long micros) {
    int place = place(micros); // which may put other arrays in place of these
    counts[series][place]++;
  }

  private int place(long micros) {
    if (steps == 0) {
      first = micros / stepMicros();
      steps = 1;
    }
    long place = micros / stepMicros() - first;
    while (place >= MOST_STEPS) {
      lengthen();
      place = micros / stepMicros() - first;
    }
    int step = (int) Math.max(0, place);
    steps = Math.max(steps, step + 1);
    return step;
  }

  private void lengthen() {
    long before = SECONDS[scale++];
    long times = SECONDS[scale] / before;
    long newFirst = first / times;
    for (int s = 0; s < counts.length; s++) {
      var merged = new long[MOST_STEPS];
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

  public long fromMillis() {
    return first * stepMillis();
  }

  public long stepMillis() {
    return SECONDS[scale] * 1_000;
  }

  public long[] counts(int series) {
    return Arrays.copyOf(counts[series], steps);
  }
}
