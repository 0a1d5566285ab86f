package io.headgate.limit;

/**
 * A limit whose permits are all alike and are counted only: some of them can be handed to an
 * instance that spends them by itself, and what was spent elsewhere can be charged later.
 *
 * <p>Not so the others: a leaky bucket promises a distance between one request and the next, a
 * rolling window knows the time of each, and a slot in flight belongs to its holder.
 */
public sealed interface Holdable extends Limit permits TokenBucket, FixedWindow, SlidingWindow {

  /**
   * The state with {@code cost} charged, whether there is room for it or not: it has been spent.
   *
   * <p>What is beyond the capacity is refused to those who come later until it is repaid: a
   * bucket's debt by its rate, a window's count when the window is over.
   */
  State charged(State state, long now, long cost);

  /**
   * Whether a state is in this limit's own terms, so that {@link #adopt} converts nothing. A limit
   * that was changed meets states for which this is false.
   */
  boolean isOwn(State state);

  /**
   * Permits that were counted under another limit, in this one's: in proportion to the capacities,
   * rounded up.
   */
  default long inProportion(long permits, Holdable other) {
    if (permits == 0 || other.capacity() == capacity()) return permits;
    long whole = permits / other.capacity();
    if (whole >= Bounds.MAX / capacity()) return Bounds.MAX;
    return whole * capacity()
        + Utilization.scale(permits % other.capacity(), other.capacity(), capacity());
  }
}
