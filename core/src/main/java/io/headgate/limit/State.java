package io.headgate.limit;

/** The state of one counter. Immutable: a store replaces it. */
public sealed interface State
    permits State.Fresh,
        BucketState,
        WindowState,
        SlidingState,
        RollingState,
        SlotState,
        FairState,
        HeldState {

  /** The state of a counter that has not been charged. */
  State FRESH = Fresh.INSTANCE;

  /**
   * Returns the time, in microseconds since the epoch, from which this state is equivalent to
   * {@link #FRESH} and may be evicted.
   */
  long freshAt();

  /**
   * Returns the part of the capacity that is in use, from {@link Utilization#NONE} to {@link
   * Utilization#ALL}, rounded up.
   *
   * @param now the time in microseconds since the epoch
   */
  long used(long now);

  /** The type of {@link #FRESH}, which is valid for every limit. */
  enum Fresh implements State {
    /** The only fresh state. */
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
