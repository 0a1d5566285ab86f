package io.headgate.limit;

import io.headgate.load.CompletedCall;
import io.headgate.load.ControllerState;

/**
 * The state of an {@link AdaptiveConcurrency}: the slots in flight, and what was learned from the
 * calls that have ended. Immutable.
 */
public final class AdaptiveState implements SlotState {
  private static final long RETENTION = Bounds.micros(AdaptiveConcurrency.RETENTION);

  private final ConcurrencyState slots;
  private final ControllerState controller;
  private final long learnedAt; // the time of the last call; 0 if nothing was learned
  private final long lease;
  private final long agesFrom;

  /**
   * Creates a state.
   *
   * @param learnedAt the time of the last call that was learned from; 0 if there is none
   * @param lease the lease with which the slots were acquired, in microseconds
   * @param agesFrom the time from which every slot in flight was acquired with this lease and has
   *     not been renewed, so that its age follows from its expiry
   */
  AdaptiveState(
      ConcurrencyState slots,
      ControllerState controller,
      long learnedAt,
      long lease,
      long agesFrom) {
    this.slots = slots;
    this.controller = controller;
    this.learnedAt = learnedAt;
    this.lease = lease;
    this.agesFrom = agesFrom;
  }

  static AdaptiveState empty(ControllerState start, long lease) {
    return new AdaptiveState(ConcurrencyState.empty(1), start, 0, lease, 0);
  }

  /** Returns whether this state is that of an unused limit. */
  boolean equalsEmpty(AdaptiveState empty) {
    return slots.held() == 0
        && learnedAt == 0
        && lease == empty.lease
        && agesFrom == 0
        && controller.equals(empty.controller);
  }

  /** Returns the state of a limit with this lease at {@code now}, without expired slots. */
  AdaptiveState at(long now, long lease) {
    var left = slots.at(now);
    if (lease == this.lease) return withSlots(left);
    return new AdaptiveState(
        left, controller, learnedAt, lease, Math.max(agesFrom, left.freshAt()));
  }

  AdaptiveState learned(ControllerState next, long now) {
    return new AdaptiveState(slots, next, now, lease, agesFrom);
  }

  /**
   * Returns the longest time for which a slot can have been held.
   *
   * @param end the expiry of the slot
   */
  long maxAge(long now, long end) {
    long age = now - (end - lease);
    return now < agesFrom || age < 0 ? CompletedCall.MAX_MICROS : age;
  }

  long learnedAt() {
    return learnedAt;
  }

  long lease() {
    return lease;
  }

  long agesFrom() {
    return agesFrom;
  }

  @Override
  public ConcurrencyState slots() {
    return slots;
  }

  /** Returns what was learned. */
  public ControllerState controller() {
    return controller;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // saves an allocation if nothing has changed
  public AdaptiveState withSlots(ConcurrencyState other) {
    return other == slots ? this : new AdaptiveState(other, controller, learnedAt, lease, agesFrom);
  }

  @Override
  public AdaptiveState renewed(long holder, long now, long end) {
    var renewed = slots.at(now).renewed(holder, end);
    long unknownUntil = Math.max(agesFrom, renewed.endOf(holder));
    return new AdaptiveState(renewed, controller, learnedAt, lease, unknownUntil);
  }

  @Override
  public long freshAt() {
    return learnedAt == 0 ? slots.freshAt() : Math.max(slots.freshAt(), learnedAt + RETENTION);
  }

  @Override
  public long used(long now) {
    return Utilization.of(slots.at(now).held(), controller.limit());
  }
}
