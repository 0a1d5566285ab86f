package io.headgate.limit;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic that token bucket and leaky bucket share: GCRA in integers. See {@link
 * TokenBucket} for an explanation.
 *
 * @param units the largest debt in units, of which a permit costs the period of the rate in lowest
 *     terms, and of which each microsecond repays its permits
 * @param capacity the whole permits in {@code units}; a leaky bucket with a maximum wait may have a
 *     fraction of a permit more
 * @param queues whether a request waits until the debt before it is repaid
 * @param refillTime the time, in microseconds, in which the whole capacity is repaid
 */
public record Bucket(Rate rate, long units, long capacity, boolean queues, long refillTime) {
  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public Bucket {
    long expected = rate.timeFor(capacity * rate.unitPeriod);
    Bounds.require(
        refillTime == expected, "the refill time must be %d µs, got %d", expected, refillTime);
  }

  /** Creates a bucket with its refill time, which is derived once rather than in each decision. */
  public Bucket(Rate rate, long units, long capacity, boolean queues) {
    this(rate, units, capacity, queues, rate.timeFor(capacity * rate.unitPeriod));
  }

  /** Returns the arithmetic of a token or leaky bucket; null for other limits. */
  public static @Nullable Bucket of(Limit limit) {
    return switch (limit) {
      case TokenBucket bucket -> bucket.bucket();
      case LeakyBucket bucket -> bucket.bucket();
      case FixedWindow window -> null;
      case SlidingWindow window -> null;
      case RollingWindow window -> null;
      case SlotLimit slots -> null;
      case FairShare fair -> null;
      case Stateless stateless -> null;
    };
  }

  /**
   * Applies the limit as {@link Limit#step} does.
   *
   * @param state a state of this bucket, see {@link #adopt}
   */
  Step step(BucketState state, long now, long cost) {
    if (!passes(state, now, cost)) return new Step(state, refused(state, now, cost));
    var after = after(state, now, cost);
    return new Step(after, passed(state, after, now, cost));
  }

  /** Returns whether a request of this cost fits. */
  public boolean passes(BucketState state, long now, long cost) {
    return cost == 0 || charges(state, now, cost);
  }

  /** Returns whether a request of this cost fits and changes the state, as a cost of 0 does not. */
  public boolean charges(BucketState state, long now, long cost) {
    // One comparison for 0 and for costs above the capacity, whose price may overflow.
    if (Long.compareUnsigned(cost - 1, capacity) >= 0) return false;
    return owed(state, now) <= units - cost * rate.unitPeriod;
  }

  /** Returns the state after a request that passes. */
  public BucketState after(BucketState state, long now, long cost) {
    return cost == 0 ? state : afterCharge(state, now, cost);
  }

  /** Returns the state after a request that {@link #charges}. */
  public BucketState afterCharge(BucketState state, long now, long cost) {
    return plus(state, now, cost * rate.unitPeriod);
  }

  /** Returns the outcome of a request that passes, given the state before it. */
  public Outcome passed(BucketState state, long now, long cost) {
    return passed(state, after(state, now, cost), now, cost);
  }

  /** Returns the outcome of a request that passes, given the states before and after it. */
  public Outcome passed(BucketState before, BucketState after, long now, long cost) {
    long left = left(before, now) - cost;
    return new Passed(left, wait(after, now), queues && cost > 0 ? wait(before, now) : 0);
  }

  /** Returns the outcome of a request that does not pass. */
  public Outcome refused(BucketState state, long now, long cost) {
    long wait = wait(state, now);
    long left = left(state, now);
    if (cost > capacity) return new ExceedsCapacity(left, wait, cost, capacity);
    // The first time at which the debt leaves room for the cost.
    long room = units - cost * rate.unitPeriod;
    long fitsAt = state.emptyAt() - rate.timeWithin(room + state.slack());
    return new Refused(left, wait, fitsAt - now);
  }

  /**
   * Adds a cost to the debt even if it exceeds the capacity. Caps the cost at the highest number
   * that is counted exactly, which is at least the capacity, and the debt at what is repaid in 100
   * years.
   */
  BucketState charged(BucketState state, long now, long cost) {
    if (cost == 0) return state;
    long countable = Math.max(capacity, (Bounds.MAX - rate.unitPermits) / rate.unitPeriod);
    var next = plus(state, now, Math.min(cost, countable) * rate.unitPeriod);
    long max = Bounds.micros(Bounds.MAX_DURATION);
    return next.emptyAt() - now > max ? new BucketState(now + max, 0, state.refillTime()) : next;
  }

  /**
   * Returns how many permits can be charged before the time in which the debt beyond the capacity
   * is repaid exceeds {@code maxDebt}. Debts are also kept below the highest number of units that
   * is counted exactly.
   *
   * @param maxDebt in microseconds
   */
  long room(BucketState state, long now, long maxDebt) {
    long countable = (Bounds.MAX - rate.unitPermits) / rate.unitPermits;
    long max = Math.min(Bounds.micros(Bounds.MAX_DURATION), refillTime + maxDebt);
    long left = Math.min(max, countable) - wait(state, now);
    if (left <= 0) return 0;
    long slack = wait(state, now) > 0 ? state.slack() : 0;
    return (left * rate.unitPermits + slack) / rate.unitPeriod;
  }

  /** Returns the state with {@code price} units added to the debt. */
  private BucketState plus(BucketState state, long now, long price) {
    long due = state.emptyAt() <= now ? price : price - state.slack();
    long repaidIn = rate.timeFor(due);
    long slack = repaidIn * rate.unitPermits - due;
    return new BucketState(Math.max(now, state.emptyAt()) + repaidIn, slack, state.refillTime());
  }

  /** Converts a state of another limit, in proportion to its utilization. */
  BucketState adopt(State state, long now) {
    long refillTime = refillTime();
    if (state instanceof BucketState own && isOwn(own)) return own;
    // A fresh state has no debt at any time, even if the clock steps back afterwards.
    if (state instanceof State.Fresh) return new BucketState(0, 0, refillTime);
    return new BucketState(now + Utilization.scale(state.used(now), refillTime), 0, refillTime);
  }

  /**
   * Returns whether the state was written by an equal bucket. The slack of a faster rate may exceed
   * what this rate repays in one microsecond, so it is compared too.
   */
  boolean isOwn(State state) {
    return state instanceof BucketState own
        && own.refillTime() == refillTime()
        && own.slack() < rate.unitPermits;
  }

  private static long wait(BucketState state, long now) {
    return Math.max(0, state.emptyAt() - now);
  }

  /**
   * Returns the debt in units. A debt that outlasts the refill time, because the clock stepped back
   * or more than the capacity was charged, counts as one that leaves less than a permit.
   *
   * <p>Minimum and maximum instead of conditions: C2 compiles each branch that is never taken into
   * some 80 bytes, and does not inline methods that are larger than 2,500.
   */
  private long owed(BucketState state, long now) {
    long wait = Math.min(wait(state, now), state.refillTime() + 1);
    return Math.max(0, wait * rate.unitPermits - state.slack());
  }

  /** Returns the permits that are available now. */
  long left(BucketState state, long now) {
    return rate.permitsIn(Math.max(0, units - owed(state, now)));
  }
}
