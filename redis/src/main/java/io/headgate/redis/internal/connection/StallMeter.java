package io.headgate.redis.internal.connection;

import java.util.ArrayList;
import java.util.Comparator;

/**
 * Records when this process was held up: it had no CPU, collected garbage, or its event loop was
 * busy. A deadline then counts only the time in which the process could have read an answer.
 *
 * <p>Times are nanoseconds of a steady clock. Thread-safe. Keeps the last {@link #MOST} intervals;
 * a deadline reaches back a second at most.
 */
public final class StallMeter {
  /** Shorter delays are ordinary scheduling, and are not recorded. */
  static final long TOLERATED_NANOS = 1_000_000;

  private static final int MOST = 256;

  /** Relative to the moment of a query, so that comparing them never overflows. */
  private record Interval(long begin, long end) {}

  private final long[] begins = new long[MOST];
  private final long[] ends = new long[MOST];
  private int recorded; // in all; the ring has the last ones

  /** Records a delay from when something was due until it happened. */
  public void record(long due, long happened) {
    if (happened - due > TOLERATED_NANOS) add(due, happened);
  }

  private synchronized void add(long begin, long end) {
    int last = (recorded + MOST - 1) % MOST;
    if (recorded > 0 && begin - ends[last] <= 0 && end - ends[last] >= 0) {
      if (begin - begins[last] < 0) begins[last] = begin;
      ends[last] = end;
      return;
    }
    begins[recorded % MOST] = begin;
    ends[recorded % MOST] = end;
    // Wraps to a small multiple of the ring, so that the number never overflows.
    recorded = recorded + 1 == 2 * MOST ? MOST : recorded + 1;
  }

  /**
   * Returns the latest moment from which on the process has run for {@code running} nanoseconds
   * until now, not counting the recorded intervals.
   *
   * @param longest how far back that moment may lie at most; not less than {@code running}
   */
  public long runningSince(long now, long running, long longest) {
    long at = 0; // relative to now
    long left = running;
    for (var stall : stallsBefore(now, longest)) {
      if (stall.end < at) {
        long ran = at - stall.end;
        if (ran >= left) break;
        left -= ran;
      }
      at = Math.min(at, stall.begin);
      if (at <= -longest) break;
    }
    return now + Math.max(at - left, -longest);
  }

  /** The latest end first. */
  private synchronized Iterable<Interval> stallsBefore(long now, long longest) {
    var stalls = new ArrayList<Interval>();
    for (int i = 0; i < Math.min(recorded, MOST); i++) {
      long end = Math.min(0, ends[i] - now);
      if (end > -longest) stalls.add(new Interval(Math.min(0, begins[i] - now), end));
    }
    stalls.sort(Comparator.comparingLong(Interval::end).reversed());
    return stalls;
  }
}
