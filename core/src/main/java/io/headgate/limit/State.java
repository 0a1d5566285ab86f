package io.headgate.limit;

/** What a limit remembers of one caller. Immutable: stores swap it, nobody changes it. */
public sealed interface State
    permits State.Fresh,
        BucketState,
        WindowState,
        SlidingState,
        RollingState,
        ConcurrencyState,
        HeldState {

  /** Nothing is known: what a caller who never came before has. */
  State FRESH = Fresh.INSTANCE;

  /** From this time on the state says no more than {@link #FRESH} does, and may be forgotten. */
  long freshAt();

  /**
   * How much of the capacity is in use: {@link Utilization#NONE} to {@link Utilization#ALL},
   * rounded up.
   */
  long used(long now);

  /** The only state that every limit understands. */
  enum Fresh implements State {
    INSTANCE;

    @Override
    public long freshAt() {
      return Long.MIN_VALUE;
    }

    @Override
    public long used(long now) {
      return Utilization.NONE;
    }
  }
}
