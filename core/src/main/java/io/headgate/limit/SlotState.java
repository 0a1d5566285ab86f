package io.headgate.limit;

/**
 * The state of a limit of slots in flight: {@link ConcurrencyState}, or {@link AdaptiveState} if
 * the number of slots follows the load. Immutable.
 */
public sealed interface SlotState extends State permits ConcurrencyState, AdaptiveState {
  /** Returns the slots in flight. */
  ConcurrencyState slots();

  /** Returns this state with other slots in flight. */
  SlotState withSlots(ConcurrencyState slots);

  /** Returns whether the holder has a slot that has not been dropped as expired. */
  default boolean holds(long holder) {
    return slots().holds(holder);
  }

  /**
   * Returns this state after a renewal.
   *
   * @param end when the slots of the holder expire, unless they expire later anyway
   */
  default SlotState renewed(long holder, long now, long end) {
    return withSlots(slots().at(now).renewed(holder, end));
  }
}
