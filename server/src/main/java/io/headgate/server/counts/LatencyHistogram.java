package io.headgate.server.counts;

/**
 * How long checks took: a histogram whose classes grow with the time, each a sixteenth of the next
 * power of two wide, so that a percentile is at most 1/16 above the truth. Fixed in size, a few
 * instructions to write to; not for several threads at once.
 */
public final class LatencyHistogram {
  private static final int SUB_BITS = 4;
  private static final int SUBS = 1 << SUB_BITS;
  private static final int LARGEST_POWER = 36; // about a minute, in nanoseconds
  private static final int CLASSES = (LARGEST_POWER - SUB_BITS + 2) * SUBS;

  private final int[] counts = new int[CLASSES];
  private long total;
  private long longest;

  public void record(long nanos) {
    long time = Math.max(0, nanos);
    counts[classOf(time)]++;
    total++;
    if (time > longest) longest = time;
  }

  public void add(LatencyHistogram others) {
    if (others.total == 0) return;
    for (int i = 0; i < CLASSES; i++) counts[i] += others.counts[i];
    total += others.total;
    longest = Math.max(longest, others.longest);
  }

  boolean isEmpty() {
    return total == 0;
  }

  /**
   * The time within which a share of all checks was answered; rounded up within its class.
   *
   * @param share 0.5 for the median
   */
  long percentile(double share) {
    long wanted = Math.max(1, (long) Math.ceil(share * total));
    long seen = 0;
    for (int i = 0; i < CLASSES; i++) {
      seen += counts[i];
      if (seen >= wanted) return Math.min(longest, upperEdge(i));
    }
    return longest;
  }

  long longest() {
    return longest;
  }

  static int classOf(long nanos) {
    if (nanos < SUBS) return (int) nanos;
    int power = 63 - Long.numberOfLeadingZeros(nanos);
    if (power > LARGEST_POWER) return CLASSES - 1;
    int sub = (int) (nanos >>> (power - SUB_BITS)) & (SUBS - 1);
    return (power - SUB_BITS + 1) * SUBS + sub;
  }

  /** The longest time of a class. */
  static long upperEdge(int index) {
    if (index < SUBS) return index;
    int power = index / SUBS + SUB_BITS - 1;
    long lower = (long) (SUBS + index % SUBS) << (power - SUB_BITS);
    return lower + (1L << (power - SUB_BITS)) - 1;
  }
}
