package io.headgate.store;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** Stores the state of any limit as an object, with a spin lock. */
final class StateCell extends Cell {
  /** Stored in place of a state. */
  private enum Mark {
    UNUSED,
    LOCKED_UNUSED,
    LOCKED,
    DEAD
  }

  private static final VarHandle CONTENT;

  static {
    try {
      CONTENT = MethodHandles.lookup().findVarHandle(StateCell.class, "content", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile Object content; // a State or a Mark
  private boolean refused; // written by the lock owner

  StateCell(Counter counter, String key, State state) {
    super(counter, key);
    content = state instanceof State.Fresh ? Mark.UNUSED : state;
  }

  @Override
  boolean accepts(Charge charge) {
    return true;
  }

  @Override
  @Nullable Outcome decide(Charge charge, long now) {
    var state = lock();
    if (state == null) return null;
    var next = state;
    boolean nextRefused = refused;
    try {
      var step = charge.step(state, now);
      next = step.state();
      nextRefused = step.outcome() instanceof Refused;
      return step.outcome();
    } finally {
      unlock(next, nextRefused);
    }
  }

  @Override
  @Nullable State tryLock() {
    for (int turns = 0; turns < SPINS; turns = pause(turns)) {
      Object seen = content;
      if (seen == Mark.DEAD) return null;
      if (isLocked(seen)) continue;
      var locked = seen == Mark.UNUSED ? Mark.LOCKED_UNUSED : Mark.LOCKED;
      if (CONTENT.compareAndSet(this, seen, locked)) return stateIn(seen);
    }
    return null;
  }

  @Override
  void unlock(State state, boolean refused) {
    this.refused = refused;
    // Release is enough: other threads see the mark of the lock until they see the state.
    CONTENT.setRelease(this, state);
  }

  @Override
  void restore(State state) {
    content = content == Mark.LOCKED_UNUSED ? Mark.UNUSED : state;
  }

  @Override
  boolean isDead() {
    return content == Mark.DEAD;
  }

  @Override
  void markDead() {
    content = Mark.DEAD;
  }

  @Override
  boolean isUnused() {
    return content == Mark.UNUSED;
  }

  @Override
  boolean isRefused() {
    return refused;
  }

  @Override
  State read() {
    for (int turns = 0; ; turns = pause(turns)) {
      Object seen = content;
      if (!isLocked(seen)) return stateIn(seen);
    }
  }

  private static boolean isLocked(Object content) {
    return content == Mark.LOCKED || content == Mark.LOCKED_UNUSED;
  }

  private static State stateIn(Object content) {
    return content instanceof State state ? state : State.FRESH;
  }
}
