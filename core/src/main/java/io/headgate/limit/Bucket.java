package io.headgate.limit;

import io.headgate.limit.Outcome.ExceedsCapacity;
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
   * As {@link Limit#step}.
   *
   * @param state one of this bucket's own, see {@link #adopt}
   */
  Step step(BucketState state, long now, long cost) {
    return passes(state, now, cost)
        ? new Step(after(state, now, cost), passed(state, now, cost))
        : new Step(state, refused(state, now, cost));
  }

  public boolean passes(BucketState state, long now, long cost) {
    if (cost > capacity) return false;
    return cost == 0 || owed(state, now) <= units - cost * rate.unitPeriod;
  }

  /** The state to keep of a request that passes. */
  public BucketState after(BucketState state, long now, long cost) {
    return cost == 0 ? state : plus(state, now, cost * rate.unitPeriod);
  }

  /** What a request is told that passes, given the state before it. */
  public Outcome passed(BucketState state, long now, long cost) {
    long wait = wait(state, now);
    long left = left(state, now) - cost;
    long resetAfter = after(state, now, cost).emptyAt() - now;
    return new Passed(left, Math.max(0, resetAfter), queues && cost > 0 ? wait : 0);
  }

  /** What a request is told that does not pass. */
  public Outcome refused(BucketState state, long now, long cost) {
    long wait = wait(state, now);
    long left = left(state, now);
    if (cost > capacity) return new ExceedsCapacity(left, wait, cost, capacity);
    // From this moment on, the debt leaves room for the price.
    long room = units - cost * rate.unitPeriod;
    long fitsAt = state.emptyAt() - rate.timeWithin(room + state.slack());
    return new Refused(left, wait, fitsAt - now);
  }

  /**
   * Adds to the debt, also beyond what the bucket bears: as much at once as can be counted exactly,
   * which is no less than the capacity, and up to what is repaid in 100 years.
   */
  BucketState charged(BucketState state, long now, long cost) {
    if (cost == 0) return state;
    long countable = Math.max(capacity, (Bounds.MAX - rate.unitPermits) / rate.unitPeriod);
    var next = plus(state, now, Math.min(cost, countable) * rate.unitPeriod);
    long longest = Bounds.micros(Bounds.LONGEST);
    return next.emptyAt() - now > longest ? new BucketState(now + longest, 0, state.drain()) : next;
  }

  /** The debt with a price added to it. */
  private BucketState plus(BucketState state, long now, long price) {
    long due = state.emptyAt() <= now ? price : price - state.slack();
    long repaidIn = rate.timeFor(due);
    long slack = repaidIn * rate.unitPermits - due;
    return new BucketState(Math.max(now, state.emptyAt()) + repaidIn, slack, state.drain());
  }

  BucketState adopt(State state, long now) {
    long drain = drain();
    if (state instanceof BucketState own && isOwn(own)) return own;
    // Who never came owes nothing by any clock, also one that steps back after a look.
    if (state instanceof State.Fresh) return new BucketState(0, 0, drain);
    return new BucketState(now + Utilization.scale(state.used(now), drain), 0, drain);
  }

  /** The slack of a faster rate may be worth more here than the microsecond it is part of. */
  boolean isOwn(State state) {
    return state instanceof BucketState own
        && own.drain() == drain()
        && own.slack() < rate.unitPermits;
  }

  /** The time in which the whole capacity is repaid. Who owes as much has used all there is. */
  public long drain() {
    return rate.timeFor(capacity * rate.unitPeriod);
  }

  private static long wait(BucketState state, long now) {
    return Math.max(0, state.emptyAt() - now);
  }

  /**
   * Neither a clock that stepped back nor what was spent elsewhere makes it more than everything.
   */
  private long owed(BucketState state, long now) {
    long wait = wait(state, now);
    if (wait == 0) return 0;
    return wait > state.drain() ? units : wait * rate.unitPermits - state.slack();
  }

  /** What could be taken now. */
  private long left(BucketState state, long now) {
    return rate.permitsIn(Math.max(0, units - owed(state, now)));
  }
}
