package io.headgate.limit;

/**
 * How much may pass, and how that is counted. Each kind is one file with one pure function.
 *
 * <p>A limit owns no state. What it knows of a caller is a {@link State} that somebody else keeps.
 */
public sealed interface Limit permits Holdable, LeakyBucket, RollingWindow, Concurrency {

  /**
   * Asks for {@code cost} at {@code now}.
   *
   * <p>If it passes, the step holds the charged state; otherwise the state as it was (in this
   * limit's own terms, see {@link #adopt}). A cost of 0 always passes and charges nothing.
   *
   * @param state what is known, under this limit or any other; {@link State#FRESH} if nothing
   * @param now microseconds since the epoch; may be earlier than before, which grants nothing
   */
  Step step(State state, long now, long cost);

  /**
   * The same history in this limit's terms. A limit that was changed while in use meets states
   * written under the old one: it takes over the share that was used, so that a throttled caller
   * stays throttled in proportion. Gives back {@code state} itself when nothing changed.
   */
  State adopt(State state, long now);

  /**
   * What one of {@code n} instances may let pass where each counts for itself: its share of this
   * limit, which is itself where there is but one.
   *
   * <p>All shares together let pass at most what this limit does or, where that is less than one
   * each, one each: an instance whose share were nothing would refuse everybody. Rounds down, so a
   * part that can't be shared out evenly is given to nobody. What can't be counted exactly is made
   * slower rather than faster; only a share slower than one in 100 years, the slowest there is,
   * becomes that.
   *
   * @param n at least 1
   */
  Limit dividedBy(int n);

  /** How many permits there are when none is taken. */
  long capacity();

  /** The highest cost that can ever pass: a higher one is impossible rather than late. */
  default long highestCost() {
    return capacity();
  }

  /**
   * The time, in microseconds, in which the whole capacity comes back; 0 if time does not do it.
   */
  long window();

  /** The name used in rules, decisions and metrics, such as {@code token-bucket}. */
  String algorithm();
}
