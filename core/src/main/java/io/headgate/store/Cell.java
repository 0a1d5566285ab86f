package io.headgate.store;

import io.headgate.limit.HeldState;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import org.jspecify.annotations.Nullable;

/**
 * The memory store's storage of one counter's state.
 *
 * <p>A plan with one charge calls {@link #decide}. A plan with several charges locks the cell of
 * each, in an order that all plans share, and unlocks each with its new state. A cell that is dead
 * stays dead: the thread that finds it so looks the counter up in the table again.
 *
 * <p>All methods are thread-safe. {@link #unlock}, {@link #restore} and {@link #markDead} may be
 * called only by the thread that has locked the cell.
 */
abstract sealed class Cell permits WordCell, StateCell {
  static final int SPINS = 64;

  final Counter counter;
  final String key;

  /** The next cell of the same chain, always an older one, so that a chain has no cycle. */
  volatile @Nullable Cell next;

  Cell(Counter counter, String key) {
    this.counter = counter;
    this.key = key;
  }

  /**
   * Returns whether this is the cell of a counter and key. Compares by identity first: a key that
   * is a constant, or that of a subject which is checked repeatedly, needs no comparison of texts.
   */
  @SuppressWarnings("ReferenceEquality")
  final boolean isFor(Counter counter, String key) {
    return (this.counter == counter && this.key == key) || isForEqual(counter, key);
  }

  private boolean isForEqual(Counter counter, String key) {
    return this.counter.equals(counter) && this.key.equals(key);
  }

  /**
   * Returns when a state of this cell becomes fresh. That of a state with holds depends on the
   * limit; if another limit wrote it, it is kept until a decision converts it.
   */
  final long freshAt(State state) {
    if (!(state instanceof HeldState held)) return state.freshAt();
    return counter.limit() instanceof Holdable limit && !HeldState.isFromOtherLimit(limit, state, 0)
        ? held.freshAt(limit)
        : Long.MAX_VALUE;
  }

  /**
   * Returns whether this is the very counter that the cell was created for, which therefore has its
   * limit. Faster than {@link #accepts}, which is true then.
   */
  @SuppressWarnings("ReferenceEquality")
  final boolean hasCounter(Counter other) {
    return other == counter;
  }

  /** Returns whether the cell can store states of this charge's limit. */
  abstract boolean accepts(Charge charge);

  /**
   * Decides one charge by itself and stores the new state.
   *
   * @return the outcome, or null if the cell is dead
   */
  abstract @Nullable Outcome decide(Charge charge, long now);

  /**
   * Locks the cell until {@link #unlock}, {@link #restore} or {@link #markDead}.
   *
   * @return the state, or null if the cell is dead, stuck or still locked after {@link #SPINS}
   *     attempts
   */
  abstract @Nullable State tryLock();

  /**
   * Locks the cell, waiting for it if necessary. May be called only by a thread that has locked no
   * other cell.
   *
   * @return the state, or null if the cell is dead
   * @throws IllegalStateException if the cell is stuck
   */
  final @Nullable State lock() {
    LockWait wait = null;
    while (true) {
      var state = tryLock();
      if (state != null || isDead()) return state;
      wait = LockWait.next(wait, this);
    }
  }

  /** Returns whether a thread has locked the cell. */
  abstract boolean isLocked();

  /** Returns whether the cell is locked and {@link #markStuck} was called since. */
  abstract boolean isStuck();

  /**
   * Marks a locked cell as stuck: no thread waits for its lock any more. If the owner of the lock
   * unlocks the cell after all, it is no longer stuck.
   *
   * @return false if the cell is not locked
   */
  abstract boolean markStuck();

  /**
   * Unlocks the cell with a new state.
   *
   * @param refused the value that {@link #isRefused} returns from now on
   */
  abstract void unlock(State state, boolean refused);

  /** Unlocks the cell with the state that {@link #tryLock} returned, leaving it unchanged. */
  abstract void restore(State state);

  abstract boolean isDead();

  /** Unlocks a locked cell and makes it dead. */
  abstract void markDead();

  /**
   * Makes the cell dead and returns its last state.
   *
   * @throws IllegalStateException if the cell is stuck
   */
  final State retire() {
    var state = lock();
    if (state == null) return State.FRESH;
    markDead();
    return state;
  }

  /**
   * Makes the cell dead unless another thread has locked it.
   *
   * @return whether this call made the cell dead
   */
  final boolean tryRetire() {
    if (tryLock() == null) return false;
    markDead();
    return true;
  }

  /**
   * Makes the cell dead if its state is fresh at the given time and no other thread has locked it.
   * The check and the change are atomic.
   *
   * @return whether this call made the cell dead
   */
  final boolean tryRetireIfFresh(long time) {
    var state = tryLock();
    if (state == null) return false;
    if (freshAt(state) > time) {
      restore(state);
      return false;
    }
    markDead();
    return true;
  }

  /**
   * Returns whether the cell was created and has not been used yet. Such a cell is neither swept
   * nor evicted: otherwise a plan whose counters all have to be created might never find all of
   * them present at once.
   */
  abstract boolean isUnused();

  /**
   * Returns whether the last request was refused. This distinguishes a caller that is being limited
   * from one that made a single request under a limit that allows only one.
   */
  abstract boolean isRefused();

  /**
   * Returns the state at the moment of the call: a fresh state if the cell is dead, and null if it
   * is locked.
   */
  abstract @Nullable State read();

  /**
   * Waits briefly after a conflict with another thread. A lock is held for a few hundred
   * instructions, which does not justify a queue.
   */
  static int pause(int turns) {
    if (turns < SPINS) Thread.onSpinWait();
    else yieldTo();
    return turns + 1;
  }

  /**
   * Yields, so that a lock owner that was descheduled can run. A thread that has locked a cell must
   * not call this: if it is a virtual thread, the scheduler may never resume it while other threads
   * wait for its lock and yield to each other.
   */
  @SuppressWarnings("ThreadPriorityCheck")
  static void yieldTo() {
    Thread.yield();
  }
}
