package io.headgate.benchmarks;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Holdable;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;

/**
 * Computes by how many permits the fullest span of time exceeded its limit, over all spans. The
 * result is negative if every span had free permits.
 *
 * <p>The exact time of an admission is not known, only an interval: from the request to the reply,
 * extended by the uncertainty of the clocks. A request counts for a span only if its interval lies
 * within the span. A positive result is therefore certain over-admission.
 */
public final class Excess {
  /** The interval in which a request was admitted, in microseconds. */
  public record Interval(long from, long to) {}

  static final long NO_REQUESTS = Long.MIN_VALUE;

  /** Returns the excess of admissions; see the class. */
  public static long of(Holdable limit, List<Interval> passed) {
    if (passed.isEmpty()) return NO_REQUESTS;
    return switch (limit) {
      case FixedWindow window -> inWindows(passed, window.window()) - window.permits();
      case SlidingWindow window -> inAnySpan(passed, span(window)) - window.capacity();
      case TokenBucket bucket -> aboveRate(passed, bucket);
    };
  }

  /** Returns the span for which a sliding window guarantees its limit. */
  private static long span(SlidingWindow window) {
    return switch (window.bound()) {
      case CONSERVATIVE -> window.window();
      case INTERPOLATED -> window.window() / window.buckets() * (window.buckets() - 1);
    };
  }

  private static long inWindows(List<Interval> passed, long length) {
    var counts = new HashMap<Long, Long>();
    for (var one : passed) {
      long window = Math.floorDiv(one.from, length);
      if (Math.floorDiv(one.to, length) == window) counts.merge(window, 1L, Long::sum);
    }
    return counts.values().stream().mapToLong(count -> count).max().orElse(0);
  }

  /** Returns the maximum in any span; it is sufficient to examine spans that begin at a request. */
  private static long inAnySpan(List<Interval> passed, long span) {
    var ends = passed.stream().mapToLong(Interval::to).sorted().toArray();
    var counts = new int[ends.length + 1]; // a Fenwick tree
    long max = 0;
    for (var one : latestFirst(passed)) {
      for (int i = rank(ends, one.to + 1); i < counts.length; i += i & -i) counts[i]++;
      long inside = 0;
      for (int i = rank(ends, one.from + span); i > 0; i -= i & -i) inside += counts[i];
      max = Math.max(max, inside);
    }
    return max;
  }

  /** Returns how many values are less. */
  private static int rank(long[] sorted, long value) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) / 2;
      if (sorted[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private static List<Interval> latestFirst(List<Interval> passed) {
    return passed.stream().sorted(Comparator.comparingLong(Interval::from).reversed()).toList();
  }

  /**
   * Returns the maximum of {@code count - burst - rate x (to - from)} over all spans that begin
   * with one request and end with another, in permits, rounded up, since a fraction of a permit is
   * a request too many. Computed in units of 1/{@code period} permit, without intermediate
   * rounding.
   */
  private static long aboveRate(List<Interval> passed, TokenBucket bucket) {
    long period = bucket.rate().periodMicros();
    long permits = bucket.rate().permits();
    var begins = passed.stream().mapToLong(Interval::from).sorted().toArray();
    long origin = begins[0];
    var tree = new MaxTree(Arrays.stream(begins).map(from -> (from - origin) * permits).toArray());
    long max = Long.MIN_VALUE;
    for (var one : passed.stream().sorted(Comparator.comparingLong(Interval::to)).toList()) {
      tree.addToFirst(rank(begins, one.from + 1), period);
      long best = tree.maxOfFirst(rank(begins, one.to + 1));
      max = Math.max(max, best - (one.to - origin) * permits);
    }
    return Math.ceilDiv(max, period) - bucket.burst();
  }

  private Excess() {}
}
