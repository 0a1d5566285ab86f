package io.headgate.limit;

import io.headgate.load.CompletedCall;

/**
 * A limit of the slots in flight. A slot is held until it is released or expires, so that the slots
 * of a crashed caller become free.
 */
public sealed interface SlotLimit extends Limit permits Concurrency, AdaptiveConcurrency {
  /** Applies the limit to a request whose slots are never released and expire. */
  @Override
  default Step step(State state, long now, long cost) {
    return step(state, now, cost, 0);
  }

  /**
   * Applies the limit to a request, as {@link Limit#step} does.
   *
   * @param holder identifies the slots for {@link #renew} and {@link #release}; unique per request
   */
  Step step(State state, long now, long cost, long holder);

  /**
   * Returns the slots in flight unchanged: a changed limit counts them rather than scales them. The
   * use of a rate limit has no equivalent in slots, so that none is in flight.
   */
  @Override
  SlotState adopt(State state, long now);

  /** Returns whether the holder has a slot at {@code now}; a state of a rate limit has none. */
  static boolean holds(State state, long now, long holder) {
    return state instanceof SlotState own && own.slots().at(now).holds(holder);
  }

  /**
   * Renews the holder's slots for a full lease from now. Expired slots of any holder are dropped,
   * so that they stay expired if the clock steps back. A state of another limit is not converted:
   * only a decision does so, because the instance that renews a slot may not have seen the change
   * of a rule yet.
   */
  default State renew(State state, long now, long holder) {
    if (!(state instanceof SlotState own)) return state;
    return holds(state, now, holder)
        ? own.renewed(holder, now, now + window())
        : own.withSlots(own.slots().at(now));
  }

  /**
   * Releases the holder's slots. Nothing is known of the call that held them. Otherwise as {@link
   * #renew}.
   */
  default State release(State state, long now, long holder) {
    return state instanceof SlotState own
        ? own.withSlots(own.slots().at(now).without(holder))
        : state;
  }

  /**
   * Releases the holder's slots after a call. Otherwise as {@link #renew}.
   *
   * @param call how the call ended. An {@link AdaptiveConcurrency} learns from it
   */
  State release(State state, long now, long holder, CompletedCall call);
}
