package io.headgate.limit;

/**
 * A rate limiting algorithm with its parameters. Each implementation is one pure function, {@link
 * #step}.
 *
 * <p>A limit holds no state: the {@link State} of each counter is kept by a store. Implementations
 * are immutable.
 */
public sealed interface Limit
    permits Holdable, LeakyBucket, RollingWindow, SlotLimit, FairShare, Stateless {

  /**
   * Applies this limit to a request of {@code cost} permits at {@code now}.
   *
   * <p>If the request passes, the step has the charged state; otherwise the unchanged state,
   * converted to this limit by {@link #adopt}. A cost of 0 charges nothing, and passes under every
   * limit but {@link Deny}.
   *
   * @param state the state of the counter, written by this or any other limit; {@link State#FRESH}
   *     if there is none
   * @param now microseconds since the epoch. May be earlier than in a previous call; a clock that
   *     steps back grants no additional permits
   */
  Step step(State state, long now, long cost);

  /**
   * Converts a state of another limit to this one. A limit that was changed finds states that were
   * written before the change, and keeps their {@linkplain Utilization utilization}, so that a
   * throttled caller stays throttled in proportion. Returns {@code state} itself if it is already
   * of this limit and up to date.
   */
  State adopt(State state, long now);

  /**
   * Returns the part of this limit that one of {@code n} instances enforces if each counts for
   * itself; this limit itself if {@code n} is 1.
   *
   * <p>All parts together admit at most what this limit does or, if it has fewer permits than there
   * are instances, one permit each, since an instance without any would refuse all requests. Rounds
   * down. A rate that can't be represented exactly is made slower rather than faster, except that
   * no rate is slower than one permit in 100 years.
   *
   * @param n at least 1
   */
  Limit dividedBy(int n);

  /**
   * Returns the number of permits of an unused limit; the highest number if it follows the load.
   */
  long capacity();

  /**
   * Returns the highest cost that can pass; the outcome of a higher one is {@code ExceedsCapacity}.
   */
  default long maxCost() {
    return capacity();
  }

  /**
   * Returns the time, in microseconds, in which the whole capacity becomes available again. For a
   * concurrency limit, the time after which a slot expires.
   */
  long window();

  /** Returns the algorithm of this limit. */
  Algorithm algorithm();
}
