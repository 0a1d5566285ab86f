package io.headgate.limit;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.function.LongPredicate;

/**
 * A reference implementation of a limit: simple and reference.
 *
 * <p>An algorithm implements only the permits available at a given time, by recounting. Retry and
 * reset times are found by search instead of arithmetic.
 */
abstract class ReferenceLimit {
  abstract long capacity();

  abstract long room(long now);

  /** Returns whether no charge counts any more. */
  abstract boolean fresh(long now);

  abstract void take(long now, long cost);

  /** Observes the time: entries that have expired stay expired even if the clock steps back. */
  void observe(long now) {}

  /** Returns the delay of a request that passes now. */
  long delay(long now) {
    return 0;
  }

  final Outcome check(long now, long cost) {
    observe(now);
    if (cost > capacity()) return new ExceedsCapacity(room(now), resetAfter(now), cost, capacity());
    if (cost > room(now)) {
      return new Refused(room(now), resetAfter(now), firstAfter(now, t -> room(t) >= cost));
    }
    if (cost == 0) return new Passed(room(now), resetAfter(now), 0);
    long delay = delay(now);
    take(now, cost);
    return new Passed(room(now), resetAfter(now), delay);
  }

  private long resetAfter(long now) {
    return firstAfter(now, this::fresh);
  }

  /** Returns the time until a monotonic condition becomes true, by binary search. */
  private static long firstAfter(long now, LongPredicate condition) {
    if (condition.test(now)) return 0;
    long low = 0;
    long high = 1;
    while (!condition.test(now + high)) {
      low = high;
      high *= 2;
    }
    while (high - low > 1) {
      long middle = low + (high - low) / 2;
      if (condition.test(now + middle)) high = middle;
      else low = middle;
    }
    return high;
  }
}
