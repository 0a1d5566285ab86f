package io.headgate.limit;

import org.jspecify.annotations.Nullable;

/**
 * A limit whose permits are interchangeable. An instance can hold some of them and spend them
 * locally, and permits that were spent locally can be charged later.
 *
 * <p>The other limits don't allow that: a leaky bucket guarantees an interval between requests, a
 * rolling window stores the time of each request, and a concurrency slot belongs to its holder.
 */
public sealed interface Holdable extends Limit permits TokenBucket, FixedWindow, SlidingWindow {

  /**
   * Returns the state with {@code cost} charged even if it does not fit, since it has been spent.
   *
   * <p>While the charges exceed the capacity, requests are refused. The excess is repaid at the
   * rate of a bucket, or when the window ends.
   */
  State charged(State state, long now, long cost);

  /**
   * Returns how many permits {@link #charged} charges: less than {@code cost} if it is more than
   * can be counted exactly, or more than the {@linkplain #withMaxDebt highest debt} leaves room
   * for.
   */
  long chargeable(State state, long now, long cost);

  /**
   * Returns the limit with a highest debt: the time in which usage beyond the capacity is repaid.
   * The counters are the same. Without effect on windows, whose debt ends with them.
   *
   * @param micros in microseconds
   */
  default Holdable withMaxDebt(long micros) {
    return this;
  }

  /**
   * Returns the limit with a part of the permits, in thousandths and rounded down, over the same
   * time. Limits whose parts add up to at most 1,000 admit together no more than this limit.
   *
   * @return null if the part is less than one permit
   * @throws IllegalArgumentException if the part is not 0 to 1,000 thousandths
   */
  @Nullable Holdable partOf(int permille);

  /**
   * Returns whether a state was written by an equal limit, so that {@link #adopt} need not convert
   * it. False for the states that a limit finds after it was changed.
   */
  boolean isOwn(State state);

  /**
   * Converts a number of permits of another limit to this one, in proportion to the capacities and
   * rounded up.
   */
  default long convertPermits(long permits, Holdable other) {
    if (permits == 0 || other.capacity() == capacity()) return permits;
    long whole = permits / other.capacity();
    if (whole >= Bounds.MAX / capacity()) return Bounds.MAX;
    return whole * capacity()
        + Utilization.scale(permits % other.capacity(), other.capacity(), capacity());
  }
}
