package io.headgate.server.trial;

import java.util.Arrays;

/** When requests come, in microseconds from the start of a trial. Takes only so many. */
public final class Arrivals {
  public static final int MOST = 200_000;

  private long[] times = new long[1_024];
  private final long end;
  private int count;
  private boolean truncated;

  /**
   * @param end what comes then or later is not of the trial
   */
  public Arrivals(long end) {
    this.end = end;
  }

  /** Whether more can be taken; what can't be is left out, and that is remembered. */
  public boolean add(long time) {
    if (time < 0 || time >= end) return true;
    if (count == MOST) {
      truncated = true;
      return false;
    }
    if (count == times.length) times = Arrays.copyOf(times, Math.min(MOST, 2 * count));
    times[count++] = time;
    return true;
  }

  /** In their order. */
  public long[] sorted() {
    var sorted = Arrays.copyOf(times, count);
    Arrays.sort(sorted);
    return sorted;
  }

  public boolean isTruncated() {
    return truncated;
  }

  public long end() {
    return end;
  }
}
