package io.headgate.server.counts;

/**
 * A histogram of latencies with logarithmic buckets, each 1/16 of a power of two wide, so that a
 * percentile is at most 1/16 too high (as in HdrHistogram). Fixed size, a few instructions per
 * value. Not thread-safe.
 */
public final class LatencyHistogram {
  private static final int SUB_BITS = 4;
  private static final int SUBS = 1 << SUB_BITS;
  private static final int MAX_POWER = 36; // about a minute, in nanoseconds
  private static final int BUCKETS = (MAX_POWER - SUB_BITS + 2) * SUBS;

  private final int[] counts = new int[BUCKETS];
  private long total;
  private long max;

  /** Counts one latency. Negative values count as 0. */
  public void record(long nanos) {
    long time = Math.max(0, nanos);
    counts[bucketOf(time)]++;
    total++;
    if (time > max) max = time;
  }

  /** Adds the counts of another histogram. */
  public void add(LatencyHistogram other) {
    if (other.total == 0) return;
    for (int i = 0; i < BUCKETS; i++) counts[i] += other.counts[i];
    total += other.total;
    max = Math.max(max, other.max);
  }

  boolean isEmpty() {
    return total == 0;
  }

  /**
   * Returns the latency at a percentile, rounded up within its bucket.
   *
   * @param fraction 0.5 for the median
   */
  long percentile(double fraction) {
    long rank = Math.max(1, (long) Math.ceil(fraction * total));
    long seen = 0;
    for (int i = 0; i < BUCKETS; i++) {
      seen += counts[i];
      if (seen >= rank) return Math.min(max, upperBound(i));
    }
    return max;
  }

  long max() {
    return max;
  }

  static int bucketOf(long nanos) {
    if (nanos < SUBS) return (int) nanos;
    int power = 63 - Long.numberOfLeadingZeros(nanos);
    if (power > MAX_POWER) return BUCKETS - 1;
    int sub = (int) (nanos >>> (power - SUB_BITS)) & (SUBS - 1);
    return (power - SUB_BITS + 1) * SUBS + sub;
  }

  /** Returns the largest value of a bucket. */
  static long upperBound(int index) {
    if (index < SUBS) return index;
    int power = index / SUBS + SUB_BITS - 1;
    long lower = (long) (SUBS + index % SUBS) << (power - SUB_BITS);
    return lower + (1L << (power - SUB_BITS)) - 1;
  }
}
