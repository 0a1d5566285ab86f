package io.headgate.limit;

import io.headgate.limit.Outcome.Never;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic that token and leaky bucket share; {@link TokenBucket} explains it.
 *
 * @param units the largest debt that the bucket bears
 * @param capacity the whole permits in it: who waits for a time, not a number, may be owed a part
 * @param queues whether a request waits until the debt before it is repaid
 */
public record Bucket(Rate rate, long units, long capacity, boolean queues) {

  /** The arithmetic of a limit that has it; null for others. */
  public static @Nullable Bucket of(Limit limit) {
    return switch (limit) {
      case TokenBucket bucket -> bucket.bucket();
      case LeakyBucket bucket -> bucket.bucket();
      case FixedWindow window -> null;
      case SlidingWindow window -> null;
      case RollingWindow window -> null;
      case Concurrency slots -> null;
    };
  }

  /**
   * As {@link Limit#step}. What goes into an outcome is worked out before it is made: only so does
   * the JVM neither clear it first nor tell the collector of it.
   *
   * @param state one of this bucket's own, see {@link #adopt}
   */
  public Step step(BucketState state, long now, long cost) {
    long wait = Math.max(0, state.emptyAt() - now);
    long owed = owed(state, wait);
    long left = rate.permitsIn(Math.max(0, units - owed));
    if (cost == 0) return new Step(state, new Passed(left, wait, 0));
    if (cost > capacity) return new Step(state, new Never(left, wait, cost, capacity));
    long price = cost * rate.unitPeriod;
    if (owed > units - price) {
      // From this moment on, the debt leaves room for the price.
      long fitsAt = state.emptyAt() - rate.timeWithin(units - price + state.slack());
      return new Step(state, new Refused(left, wait, fitsAt - now));
    }
    long due = wait == 0 ? price : price - state.slack();
    long repaidIn = rate.timeFor(due);
    long slack = repaidIn * rate.unitPermits - due;
    long delay = queues ? wait : 0;
    var next = new BucketState(now + wait + repaidIn, slack, state.drain());
    return new Step(next, new Passed(left - cost, wait + repaidIn, delay));
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
    return rate.timeFor(capacity * rate.unitPeriod);
  }

  /** A clock that stepped back can't make it more than everything. */
  private long owed(BucketState state, long wait) {
    if (wait == 0) return 0;
    return wait > state.drain() ? units : wait * rate.unitPermits - state.slack();
  }
}
