package io.headgate.server.simulation;

import java.util.Arrays;

/**
 * Collects the arrival times of generated requests, in microseconds from the start of a simulation.
 * Takes at most {@value #MAX_ARRIVALS} and stops at the deadline. Not thread-safe.
 */
public final class Arrivals {
  public static final int MAX_ARRIVALS = 200_000;

  private long[] times = new long[1_024];
  private final long end;
  private final Deadline deadline;
  private long offered;
  private int count;
  private boolean truncated;

  /**
   * @param end end of the simulation; later arrivals are ignored
   */
  public Arrivals(long end, Deadline deadline) {
    this.end = end;
    this.deadline = deadline;
  }

  /**
   * Adds {@code size} arrivals at one time.
   *
   * @return as {@link #add(long)}
   */
  boolean add(long time, long size) {
    deadline.check(offered++);
    if (time < 0 || time >= end) return true;
    for (long i = 0; i < size; i++) {
      if (!add(time)) return false;
    }
    return true;
  }

  /**
   * Adds an arrival.
   *
   * @return whether more can be taken; if not, the result is marked as truncated
   * @throws Deadline.Overdue if the deadline has passed
   */
  public boolean add(long time) {
    deadline.check(offered++);
    if (time < 0 || time >= end) return true;
    if (count == MAX_ARRIVALS) {
      truncated = true;
      return false;
    }
    if (count == times.length) times = Arrays.copyOf(times, Math.min(MAX_ARRIVALS, 2 * count));
    times[count++] = time;
    return true;
  }

  /** Returns the times in ascending order. */
  public long[] sorted() {
    var sorted = Arrays.copyOf(times, count);
    Arrays.sort(sorted);
    return sorted;
  }

  /** Returns whether arrivals were left out because there were too many. */
  public boolean isTruncated() {
    return truncated;
  }

  public long end() {
    return end;
  }
}
