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
public record Bucket(Rate rate, long units, long capacity, boolean queues) {

  Step step(BucketState state, long now, long cost) {
    long wait = Math.max(0, state.emptyAt() - now);
    long owed = owed(state, wait);
    if (cost == 0) return new Step(state, new Passed(room(owed), wait, 0));
    if (cost > capacity) return new Step(state, new Never(room(owed), wait, cost, capacity));
    long price = cost * rate.unitPeriod;
    if (owed > units - price) {
      // From this moment on, the debt leaves room for the price.
      long fitsAt = state.emptyAt() - (units - price + state.slack()) / rate.unitPermits;
      return new Step(state, new Refused(room(owed), wait, fitsAt - now));
    }
    long due = wait == 0 ? price : price - state.slack();
    long repaidIn = timeFor(due);
    long slack = repaidIn * rate.unitPermits - due;
    var next = new BucketState(now + wait + repaidIn, slack, state.drain());
    return new Step(next, new Passed(room(owed + price), wait + repaidIn, queues ? wait : 0));
  }

  /**
   * Adds to the debt, also beyond what the bucket bears: as much at once as can be counted exactly,
   * which is no less than the capacity, and up to what is repaid in 100 years.
   */
  BucketState charged(BucketState state, long now, long cost) {
    if (cost == 0) return state;
    long wait = Math.max(0, state.emptyAt() - now);
    long countable = Math.max(capacity, (Exact.MAX - rate.unitPermits) / rate.unitPeriod);
    long price = Math.min(cost, countable) * rate.unitPeriod;
    long due = wait == 0 ? price : price - state.slack();
    long repaidIn = timeFor(due);
    long longest = Exact.micros(Exact.LONGEST);
    if (wait + repaidIn > longest) return new BucketState(now + longest, 0, state.drain());
    return new BucketState(now + wait + repaidIn, repaidIn * rate.unitPermits - due, state.drain());
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
  public long drain() {
    return timeFor(capacity * rate.unitPeriod);
  }

  /** Divides only where it must: a division takes as long as the rest of a step. */
  private long timeFor(long due) {
    return rate.unitPermits == 1 ? due : Math.ceilDiv(due, rate.unitPermits);
  }

  /**
   * Neither a clock that stepped back nor what was spent elsewhere makes it more than everything.
   */
  private long owed(BucketState state, long wait) {
    if (wait == 0) return 0;
    return wait > state.drain() ? units : wait * rate.unitPermits - state.slack();
  }

  /** What could be taken now. */
  private long room(long owed) {
    return Math.max(0, units - owed) / rate.unitPeriod;
  }
}
