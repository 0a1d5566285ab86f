package io.headgate.limit;

import io.headgate.limit.Outcome.Never;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;

/**
 * The arithmetic that token and leaky bucket share; {@link TokenBucket} explains it.
 *
 * @param units the largest debt that the bucket bears
 * @param capacity the whole permits in it: who waits for a time, not a number, may be owed a part
 * @param queues whether a request waits until the debt before it is repaid
 */
record Bucket(Rate rate, long units, long capacity, boolean queues) {

  Step step(BucketState state, long now, long cost) {
    long permits = rate.unitPermits;
    long price = cost * rate.unitPeriod; // may be nonsense above the capacity, and is not used then
    if (cost == 0) return new Step(state, passed(state, now, 0));
    if (cost > capacity) {
      return new Step(state, new Never(room(state, now), wait(state, now), cost, capacity));
    }
    boolean inDebt = state.emptyAt() > now;
    if (inDebt) {
      // From this moment on, the debt leaves room for the price.
      long fitsAt = state.emptyAt() - (units - price + state.slack()) / permits;
      if (now < fitsAt) {
        return new Step(state, new Refused(room(state, now), wait(state, now), fitsAt - now));
      }
    }
    long start = inDebt ? state.emptyAt() : now;
    long owed = inDebt ? price - state.slack() : price;
    long repaidIn = permits == 1 ? owed : Math.ceilDiv(owed, permits);
    var next = new BucketState(start + repaidIn, repaidIn * permits - owed, state.drain());
    return new Step(next, passed(next, now, queues ? start - now : 0));
  }

  BucketState adopt(State state, long now) {
    long drain = drain();
    // The slack of a faster rate may be worth more here than the microsecond it is part of.
    if (state instanceof BucketState own && own.drain() == drain && own.slack() < rate.unitPermits)
      return own;
    // Who never came owes nothing by any clock, also one that steps back after a look.
    if (state instanceof State.Fresh) return new BucketState(0, 0, drain);
    return new BucketState(now + Share.scale(state.used(now), drain), 0, drain);
  }

  /** The time in which the whole capacity is repaid. Who owes as much has used all there is. */
  long drain() {
    long all = capacity * rate.unitPeriod;
    return rate.unitPermits == 1 ? all : Math.ceilDiv(all, rate.unitPermits);
  }

  private Passed passed(BucketState state, long now, long delay) {
    return new Passed(room(state, now), wait(state, now), delay);
  }

  private static long wait(BucketState state, long now) {
    return Math.max(0, state.emptyAt() - now);
  }

  /** What could be taken now. A clock that stepped back can't make it less than nothing. */
  private long room(BucketState state, long now) {
    long wait = wait(state, now);
    if (wait == 0) return capacity;
    if (wait > state.drain()) return 0;
    return Math.max(0, units - (wait * rate.unitPermits - state.slack())) / rate.unitPeriod;
  }
}
