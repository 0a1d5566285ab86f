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
import java.util.ArrayList;
import java.util.List;

/**
 * A naive model of a limit that evaluates its definition over a list of all admissions. It is slow,
 * simple, and shares no code with the implementation.
 */
final class Model {
  private record Passed(long at, long cost) {}

  private final Limit limit;
  private final List<Passed> passed = new ArrayList<>();

  Model(Limit limit) {
    this.limit = limit;
  }

  /** Records an admission. */
  void charge(long at, long cost) {
    passed.add(new Passed(at, cost));
  }

  /** Returns whether a request passes at that time. */
  boolean passes(long at, long cost) {
    if (cost > limit.capacity()) return false;
    return switch (limit) {
      case TokenBucket bucket ->
          debt(bucket.rate(), at) <= units(bucket.rate(), bucket.burst() - cost);
      case LeakyBucket bucket ->
          debt(bucket.rate(), at) <= units(bucket.rate(), bucket.capacity() - cost);
      case FixedWindow window -> {
        long length = window.window();
        yield cost <= window.permits() - since(at - Math.floorMod(at, length));
      }
      case SlidingWindow window -> cost <= remaining(window, at);
      case RollingWindow window -> cost <= window.capacity() - since(at - window.window() + 1);
      case SlotLimit slots -> throw new IllegalArgumentException("not a rate limit: " + slots);
      case FairShare fair -> throw new IllegalArgumentException("not simulated: " + fair);
      case Stateless stateless ->
          throw new IllegalArgumentException("not a rate limit: " + stateless);
    };
  }

  private static long units(Rate rate, long permits) {
    return permits * rate.periodInLowestTerms();
  }

  /**
   * Returns the debt of a bucket in integer units: a microsecond repays the rate's permits, and a
   * permit costs the rate's period, both in lowest terms.
   */
  private long debt(Rate rate, long at) {
    long debt = 0;
    long last = 0;
    for (var one : passed) {
      debt = repaid(debt, one.at - last, rate) + units(rate, one.cost);
      last = one.at;
    }
    return repaid(debt, at - last, rate);
  }

  private static long repaid(long debt, long time, Rate rate) {
    long permits = rate.permitsInLowestTerms();
    return time > debt / permits ? 0 : Math.max(0, debt - time * permits);
  }

  private long since(long from) {
    long sum = 0;
    for (var one : passed) {
      if (one.at >= from) sum += one.cost;
    }
    return sum;
  }

  private long remaining(SlidingWindow window, long at) {
    long width = window.window() / window.buckets();
    long start = at - Math.floorMod(at, width);
    long inside = 0;
    long oldest = 0;
    for (var one : passed) {
      long age = (start - (one.at - Math.floorMod(one.at, width))) / width;
      if (age < window.buckets()) inside += one.cost;
      else if (age == window.buckets()) oldest += one.cost;
    }
    if (window.bound() == SlidingWindow.Bound.CONSERVATIVE) {
      return window.capacity() - inside - oldest;
    }
    return window.capacity() - inside - Math.ceilDiv(oldest * (width - (at - start)), width);
  }
}
