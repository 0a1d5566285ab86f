package io.headgate.server.counts;

import org.HdrHistogram.IntCountsHistogram;

/**
 * A histogram of latencies with the buckets of HdrHistogram, each 1/16 of a power of two wide, so
 * that a percentile is at most 1/16 too high. The maximum is exact. Has a fixed size; recording
 * allocates nothing and takes no lock. Not thread-safe.
 */
public final class LatencyHistogram {
  private static final int DIGITS = 1; // 16 buckets for each power of two
  private static final long MAX_NANOS = (1L << 37) - 1; // two minutes; longer ones count as this

  private final IntCountsHistogram counts = new IntCountsHistogram(MAX_NANOS, DIGITS);
  private long max; // HdrHistogram's is rounded up to the end of its bucket

  /** Counts one latency. Negative values count as 0. */
  public void record(long nanos) {
    long time = Math.max(0, nanos);
    counts.recordValue(Math.min(time, MAX_NANOS));
    if (time > max) max = time;
  }

  /** Adds the counts of another histogram. */
  public void add(LatencyHistogram other) {
    if (other.isEmpty()) return;
    counts.add(other.counts);
    max = Math.max(max, other.max);
  }

  boolean isEmpty() {
    return counts.getTotalCount() == 0;
  }

  /**
   * Returns the latency at a percentile, rounded up within its bucket.
   *
   * @param percent 50 for the median
   */
  long percentile(double percent) {
    return Math.min(max, counts.getValueAtPercentile(percent));
  }

  long max() {
    return max;
  }
}
