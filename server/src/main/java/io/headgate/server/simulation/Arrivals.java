package io.headgate.server.simulation;

import java.util.Arrays;

/**
 * When requests come, in microseconds from the start of a trial. Takes only so many, and looks at
 * most as long as somebody waits.
 */
public final class Arrivals {
  public static final int MOST = 200_000;

  private long[] times = new long[1_024];
  private final long end;
  private final Deadline patience;
  private long offered;
  private int count;
  private boolean truncated;

  /**
   * @param end what comes then or later is not of the trial
   */
  public Arrivals(long end, Deadline patience) {
    this.end = end;
    this.patience = patience;
  }

  /** As many as {@code size} at one time; as {@link #add(long)} otherwise. */
  boolean add(long time, long size) {
    patience.check(offered++);
    if (time < 0 || time >= end) return true;
    for (long i = 0; i < size; i++) {
      if (!add(time)) return false;
    }
    return true;
  }

  /** Whether more can be taken; what can't be is left out, and that is remembered. */
  public boolean add(long time) {
    patience.check(offered++);
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
