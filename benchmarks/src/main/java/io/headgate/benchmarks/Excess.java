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
 * By how much the fullest span of time was fuller than a limit allows: over all spans, none left
 * out. Less than 0 if all had room.
 *
 * <p>When exactly a request was let pass is not known, only an interval: from when it was asked to
 * when it was answered, and as much wider as clocks are uncertain. A request counts for a span only
 * if it surely lies in it. So what is more than 0 here was surely too much.
 */
final class Excess {
  /** When a request was let pass: not before, not after. */
  record Interval(long from, long to) {}

  static final long NOBODY_CAME = Long.MIN_VALUE;

  static long of(Holdable limit, List<Interval> passed) {
    if (passed.isEmpty()) return NOBODY_CAME;
    return switch (limit) {
      case FixedWindow window -> inWindows(passed, window.window()) - window.permits();
      case SlidingWindow window -> inAny(passed, span(window)) - window.capacity();
      case TokenBucket bucket -> aboveRate(passed, bucket);
    };
  }

  /** The span in which a sliding window promises no more than its permits. */
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

  /** Spans that begin with a request are enough: others hold no more than one of these. */
  private static long inAny(List<Interval> passed, long span) {
    var ends = passed.stream().mapToLong(Interval::to).sorted().toArray();
    var counts = new int[ends.length + 1]; // a tree of sums
    long most = 0;
    for (var one : latestFirst(passed)) {
      for (int i = rank(ends, one.to + 1); i < counts.length; i += i & -i) counts[i]++;
      long inside = 0;
      for (int i = rank(ends, one.from + span); i > 0; i -= i & -i) inside += counts[i];
      most = Math.max(most, inside);
    }
    return most;
  }

  /** How many are less. */
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
   * The most of {@code count - burst - rate x (to - from)} over all spans that begin with one
   * request and end with another, in permits, rounded up: half a permit too many is a request.
   * Counted in units of which a permit has {@code period}, so that nothing is rounded on the way.
   */
  private static long aboveRate(List<Interval> passed, TokenBucket bucket) {
    long period = bucket.rate().periodMicros();
    long permits = bucket.rate().permits();
    var begins = passed.stream().mapToLong(Interval::from).sorted().toArray();
    long origin = begins[0];
    var tree = new MaxTree(Arrays.stream(begins).map(from -> (from - origin) * permits).toArray());
    long most = Long.MIN_VALUE;
    for (var one : passed.stream().sorted(Comparator.comparingLong(Interval::to)).toList()) {
      tree.addToFirst(rank(begins, one.from + 1), period);
      long best = tree.mostOfFirst(rank(begins, one.to + 1));
      most = Math.max(most, best - (one.to - origin) * permits);
    }
    return Math.ceilDiv(most, period) - bucket.burst();
  }

  private Excess() {}
}
