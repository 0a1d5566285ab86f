package io.headgate.internal.script;

import java.util.ArrayList;
import java.util.Comparator;

/**
 * Records when this process was stalled: it had no CPU, ran garbage collection, or its event loop
 * was busy. Deadlines count only the time in which the process could have read a reply.
 *
 * <p>Times are nanoseconds of a monotonic clock. Thread-safe. Keeps the last {@link #MAX_INTERVALS}
 * intervals.
 */
public final class StallMeter {
  /** Shorter delays are ordinary scheduling, and are not recorded. */
  static final long TOLERATED_NANOS = 1_000_000;

  private static final int MAX_INTERVALS = 256;

  /** A stall, relative to the time of the query, so that comparisons never overflow. */
  private record Interval(long begin, long end) {}

  private final long[] begins = new long[MAX_INTERVALS];
  private final long[] ends = new long[MAX_INTERVALS];
  private int recorded; // how many were added; wraps, see add

  /** Records the delay between the time at which a task was due and the time at which it ran. */
  public void record(long due, long happened) {
    if (happened - due > TOLERATED_NANOS) add(due, happened);
  }

  private synchronized void add(long begin, long end) {
    int last = (recorded + MAX_INTERVALS - 1) % MAX_INTERVALS;
    if (recorded > 0 && begin - ends[last] <= 0 && end - ends[last] >= 0) {
      if (begin - begins[last] < 0) begins[last] = begin;
      ends[last] = end;
      return;
    }
    begins[recorded % MAX_INTERVALS] = begin;
    ends[recorded % MAX_INTERVALS] = end;
    // Wraps to a multiple of the ring size, so that it never overflows.
    recorded = recorded + 1 == 2 * MAX_INTERVALS ? MAX_INTERVALS : recorded + 1;
  }

  /**
   * Returns the latest time since which the process has run for {@code running} nanoseconds,
   * excluding the recorded stalls.
   *
   * @param maxLookback the maximum distance of that time from now; at least {@code running}
   */
  public long runningSince(long now, long running, long maxLookback) {
    long at = 0; // relative to now
    long left = running;
    for (var stall : stallsBefore(now, maxLookback)) {
      if (stall.end < at) {
        long ran = at - stall.end;
        if (ran >= left) break;
        left -= ran;
      }
      at = Math.min(at, stall.begin);
      if (at <= -maxLookback) break;
    }
    return now + Math.max(at - left, -maxLookback);
  }

  /** Returns the stalls in descending order of their end. */
  private synchronized Iterable<Interval> stallsBefore(long now, long maxLookback) {
    var stalls = new ArrayList<Interval>();
    for (int i = 0; i < Math.min(recorded, MAX_INTERVALS); i++) {
      long end = Math.min(0, ends[i] - now);
      if (end > -maxLookback) stalls.add(new Interval(Math.min(0, begins[i] - now), end));
    }
    stalls.sort(Comparator.comparingLong(Interval::end).reversed());
    return stalls;
  }
}
