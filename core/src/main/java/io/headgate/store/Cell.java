package io.headgate.store;

import io.headgate.limit.Outcome;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import org.jspecify.annotations.Nullable;

/**
 * The place where one counter's state is kept in memory.
 *
 * <p>A cell is used in one of two ways. A request that touches it alone calls {@link #take}. A plan
 * that touches several locks each, all plans in the same order, and unlocks each with its new
 * state. Once dead a cell stays so: whoever finds it dead looks again in the table.
 */
abstract sealed class Cell permits WordCell, StateCell {
  static final int SPINS = 64;

  final Counter counter;
  final String key;

  /** The next cell of the same chain, always an older one, so that a chain has no loop. */
  volatile @Nullable Cell next;

  Cell(Counter counter, String key) {
    this.counter = counter;
    this.key = key;
  }

  final boolean isFor(Counter counter, String key) {
    return this.counter.equals(counter) && this.key.equals(key);
  }

  /** Whether the cell can hold states of this charge's limit. */
  abstract boolean suits(Charge charge);

  /** One request by itself; null if the cell is dead. */
  abstract @Nullable Outcome take(Charge charge, long now);

  /**
   * The state, now and for nobody else until {@link #unlock} or {@link #restore}; null if the cell
   * is dead, or stays locked for more than a moment.
   */
  abstract @Nullable State tryLock();

  /** As {@link #tryLock}, but waits as long as it takes; for those who have locked no other. */
  final @Nullable State lock() {
    while (true) {
      var state = tryLock();
      if (state != null || isDead()) return state;
      yieldTo();
    }
  }

  /**
   * Ends a lock with the state that came of it.
   *
   * @param refused what {@link #isRefused} is to say
   */
  abstract void unlock(State state, boolean refused);

  /** Ends a lock that came to nothing: the cell is as it was. */
  abstract void restore(State state);

  abstract boolean isDead();

  /** Ends a cell that is locked. */
  abstract void markDead();

  /** Ends the cell and gives its last state. */
  final State kill() {
    var state = lock();
    if (state == null) return State.FRESH;
    markDead();
    return state;
  }

  /** Ends the cell if its state is fresh at that time; nobody can use it meanwhile. */
  final boolean killIfFresh(long time) {
    var state = lock();
    if (state == null) return false;
    if (state.freshAt() > time) {
      restore(state);
      return false;
    }
    markDead();
    return true;
  }

  /**
   * Whether the cell was made for somebody who has not come to use it yet. Such a cell is left in
   * peace: otherwise a plan of several counters that each must be made could wait forever for all
   * of them to be there at once.
   */
  abstract boolean isUnused();

  /**
   * Whether the last who asked was refused. That is what tells a caller who is being limited from
   * one who came once, where once is all that a limit allows.
   */
  abstract boolean isRefused();

  /** The state at some moment during the call; fresh if the cell is dead. */
  abstract State look();

  /**
   * Waiting for a lock is waiting for a few hundred instructions of another thread: not worth a
   * queue.
   */
  static int pause(int turns) {
    if (turns < SPINS) Thread.onSpinWait();
    else yieldTo();
    return turns + 1;
  }

  /**
   * If the thread that is waited for was taken off its core, this lets it go on. Nobody who has
   * locked a cell may do it: a virtual thread that did could be left out for ever by others who
   * give way to each other, all of them waiting for it.
   */
  @SuppressWarnings("ThreadPriorityCheck")
  static void yieldTo() {
    Thread.yield();
  }
}
