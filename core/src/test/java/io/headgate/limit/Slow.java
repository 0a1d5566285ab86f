package io.headgate.limit;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.function.LongPredicate;

/**
 * What a limit ought to answer, said in the plainest way, at any expense.
 *
 * <p>A kind of limit says only what there is room for at a given time, by counting afresh. When to
 * retry and when all is forgotten is then found by trying times, not by arithmetic.
 */
abstract class Slow {
  abstract long capacity();

  abstract long room(long now);

  /** Whether nothing of what was taken counts any more. */
  abstract boolean fresh(long now);

  abstract void take(long now, long cost);

  /** Time has come this far: what is over by now is over for good, also if time steps back. */
  void see(long now) {}

  /** How long a request that is let through now has to wait. */
  long delay(long now) {
    return 0;
  }

  final Outcome ask(long now, long cost) {
    see(now);
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

  /** How long until something becomes true that then stays true. */
  private static long firstAfter(long now, LongPredicate isSo) {
    if (isSo.test(now)) return 0;
    long not = 0;
    long so = 1;
    while (!isSo.test(now + so)) {
      not = so;
      so *= 2;
    }
    while (so - not > 1) {
      long middle = not + (so - not) / 2;
      if (isSo.test(now + middle)) so = middle;
      else not = middle;
    }
    return so;
  }
}
