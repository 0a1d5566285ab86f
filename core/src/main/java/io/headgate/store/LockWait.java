package io.headgate.store;

import org.jspecify.annotations.Nullable;

/**
 * The wait of one thread for the lock of a cell.
 *
 * <p>A lock is held for a fraction of a microsecond. One that is held for {@link #GIVE_UP_NANOS} is
 * {@linkplain Cell#markStuck stuck}: its owner has ended without unlocking it. The thread that
 * finds out, and from then on every thread that needs the cell, fails instead of waiting.
 *
 * <p>Only time in which this thread ran counts, in small portions. A pause of the whole process,
 * which also stops the owner, does not make a lock stuck. A lock that is seen unlocked starts the
 * time again.
 *
 * <p>Used by one thread, which must not have locked another cell.
 */
final class LockWait {
  static final long GIVE_UP_NANOS = 2_000_000_000;

  private static final long MAX_PORTION_NANOS = GIVE_UP_NANOS / 1_000;

  private long last = System.nanoTime();
  private long waited;

  /**
   * Yields, so that the lock's owner can run.
   *
   * @param wait the result of the last call for this operation; null before the first
   * @param cell the cell that could not be locked
   * @throws IllegalStateException if the lock is stuck
   */
  static LockWait next(@Nullable LockWait wait, Cell cell) {
    if (wait == null) wait = new LockWait();
    else wait.count(cell.isLocked());
    if (cell.isStuck() || (wait.waited >= GIVE_UP_NANOS && cell.markStuck())) throw stuck(cell);
    Cell.yieldTo();
    return wait;
  }

  private void count(boolean locked) {
    long now = System.nanoTime();
    waited = locked ? waited + Math.min(now - last, MAX_PORTION_NANOS) : 0;
    last = now;
  }

  private static IllegalStateException stuck(Cell cell) {
    return new IllegalStateException(
        "the state of '%s' in limit %s is locked by a thread that has not unlocked it within %d s;"
                .formatted(cell.key, cell.counter, GIVE_UP_NANOS / 1_000_000_000)
            + " nothing was charged. Reset the counter or restart, and look in the log for an"
            + " error of that thread");
  }
}
