package io.headgate.store;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Stores the state of any limit as an object, with a spin lock.
 *
 * <p>The lock is a number of its own beside the state: to swap a mark into the reference instead
 * would pass the barrier of the garbage collector twice more in each step.
 */
final class StateCell extends Cell {
  /** Flags of an unlocked cell; the owner of the lock keeps them in {@link #LOCKED}. */
  private static final int REFUSED = 1;

  private static final int UNUSED = 2;
  private static final int LOCKED = 4;
  private static final int STUCK = 8; // in addition to LOCKED
  private static final int DEAD = 16;
  private static final VarHandle STATUS;

  static {
    try {
      STATUS = MethodHandles.lookup().findVarHandle(StateCell.class, "status", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile int status;
  private State state; // written by the lock owner; immutable, so that a racy read is safe

  StateCell(Counter counter, String key, State state) {
    super(counter, key);
    this.state = state;
    this.status = state instanceof State.Fresh ? UNUSED : 0;
  }

  @Override
  boolean accepts(Charge charge) {
    return true;
  }

  @Override
  @Nullable Outcome decide(Charge charge, long now) {
    var seen = lock();
    if (seen == null) return null;
    var next = seen;
    boolean refused = isRefused();
    try {
      var step = charge.step(seen, now);
      next = step.state();
      refused = step.outcome() instanceof Refused;
      return step.outcome();
    } finally {
      unlock(next, refused);
    }
  }

  @Override
  @Nullable State tryLock() {
    for (int turns = 0; turns < SPINS; turns = pause(turns)) {
      int seen = status;
      if (seen < LOCKED && STATUS.compareAndSet(this, seen, seen | LOCKED)) return state;
      if ((seen & (STUCK | DEAD)) != 0) return null;
    }
    return null;
  }

  /** Returns the state of a cell that this thread has locked. */
  State lockedState() {
    return state;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // saves a write
  void unlock(State next, boolean refused) {
    if (next != state) state = next;
    // Release is enough: other threads see the lock until they see the state.
    STATUS.setRelease(this, refused ? REFUSED : 0);
  }

  @Override
  void restore(State state) {
    STATUS.setRelease(this, status & (REFUSED | UNUSED));
  }

  @Override
  boolean isLocked() {
    return (status & LOCKED) != 0;
  }

  @Override
  boolean isStuck() {
    return (status & STUCK) != 0;
  }

  @Override
  boolean markStuck() {
    int seen = status;
    return (seen & STUCK) != 0
        || ((seen & LOCKED) != 0 && STATUS.compareAndSet(this, seen, seen | STUCK));
  }

  @Override
  boolean isDead() {
    return status == DEAD;
  }

  @Override
  void markDead() {
    status = DEAD;
  }

  @Override
  boolean isUnused() {
    return status == UNUSED;
  }

  @Override
  boolean isRefused() {
    return (status & REFUSED) != 0;
  }

  @Override
  @Nullable State read() {
    int seen = status;
    if (seen == DEAD) return State.FRESH;
    return seen < LOCKED ? state : null;
  }
}
