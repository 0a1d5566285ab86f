package io.headgate.simulation;

import io.headgate.limit.FairShare;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.Stateless;
import io.headgate.limit.TokenBucket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Checks the guarantee of each algorithm against a list of admissions. */
final class AdmissionBounds {
  /** An admission, with its time by the clock of the counter's server. */
  record Admitted(long at, long cost) {}

  private AdmissionBounds() {}

  /** Returns the maximum number of permits admitted above the limit's guarantee, at least 0. */
  static long excess(Limit limit, List<Admitted> admitted) {
    var sorted = new ArrayList<>(admitted);
    sorted.sort(Comparator.comparingLong(Admitted::at));
    return switch (limit) {
      case TokenBucket bucket -> ofBucket(bucket.rate(), bucket.burst(), sorted);
      case LeakyBucket bucket -> ofBucket(bucket.rate(), bucket.capacity(), sorted);
      case FixedWindow window -> ofFixed(window, sorted);
      case SlidingWindow window ->
          inAnySpan(
              window.bound() == SlidingWindow.Bound.CONSERVATIVE
                  ? window.window()
                  : window.window() - window.window() / window.buckets(),
              window.capacity(),
              sorted);
      case RollingWindow window -> inAnySpan(window.window(), window.capacity(), sorted);
      case SlotLimit slots -> throw new IllegalArgumentException("slots are released: " + slots);
      case FairShare fair -> ofBucket(fair.bucket().rate(), fair.capacity(), sorted);
      case Stateless stateless -> throw new IllegalArgumentException("has no state: " + stateless);
    };
  }

  /** The bound in any span t is burst + rate · t. */
  private static long ofBucket(Rate rate, long burst, List<Admitted> sorted) {
    long permits = rate.permitsInLowestTerms();
    long period = rate.periodInLowestTerms();
    long debt = 0;
    long last = 0;
    long worst = 0;
    for (var one : sorted) {
      long passed = one.at - last;
      debt = passed > debt / permits ? 0 : debt - passed * permits;
      debt += one.cost * period;
      last = one.at;
      worst = Math.max(worst, Math.ceilDiv(debt - burst * period, period));
    }
    return worst;
  }

  /** Returns the permits that a bucket has left after charges, which may have exceeded it. */
  static long left(TokenBucket bucket, List<Admitted> charged, long now) {
    long permits = bucket.rate().permitsInLowestTerms();
    long period = bucket.rate().periodInLowestTerms();
    var sorted = new ArrayList<>(charged);
    sorted.sort(Comparator.comparingLong(Admitted::at));
    sorted.add(new Admitted(now, 0));
    long debt = 0;
    long last = 0;
    for (var one : sorted) {
      long passed = one.at - last;
      debt = passed > debt / permits ? 0 : debt - passed * permits;
      debt += one.cost * period;
      last = one.at;
    }
    return Math.max(0, bucket.burst() * period - debt) / period;
  }

  private static long ofFixed(FixedWindow limit, List<Admitted> sorted) {
    long end = 0;
    long count = 0;
    long worst = 0;
    for (var one : sorted) {
      if (one.at >= end) {
        end = limit.alignment().endAfter(one.at);
        count = 0;
      }
      count += one.cost;
      worst = Math.max(worst, count - limit.permits());
    }
    return worst;
  }

  /** Returns the maximum sum in any span of that length, less the permits; at least 0. */
  static long inAnySpan(long span, long permits, List<Admitted> sorted) {
    var inside = new ArrayDeque<Admitted>();
    long count = 0;
    long worst = 0;
    for (var one : sorted) {
      inside.add(one);
      count += one.cost;
      while (one.at - inside.getFirst().at >= span) count -= inside.removeFirst().cost;
      worst = Math.max(worst, count - permits);
    }
    return worst;
  }
}
