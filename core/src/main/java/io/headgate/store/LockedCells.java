package io.headgate.store;

import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import io.headgate.rule.Charge;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one plan, locked together until {@link #close}.
 *
 * <p>Cells are locked in one global order, that of the hashes of their charges, which prevents
 * deadlock. A missing cell (null) stands for a fresh state whose change is not stored. A cell that
 * occurs more than once is locked once, and the state of its last occurrence is stored.
 *
 * <p>A word cell is locked and unlocked with its word. Everything that may fail precedes the first
 * unlock, so that {@link #close} unlocks all cells or none.
 *
 * <p>Used by one thread.
 */
final class LockedCells implements AutoCloseable {
  /** The locking order of cells whose hashes are equal. */
  private static final Comparator<@Nullable Cell> EQUAL_HASHES =
      Comparator.nullsFirst(
          Comparator.comparing((Cell cell) -> cell.key)
              .thenComparing(cell -> cell.counter.rule())
              .thenComparing(cell -> cell.counter.id()));

  private static final int[] ONE = {0};

  private final @Nullable Cell[] cells;
  private final int[] order; // indices of cells in locking order
  private final long[] words; // of each word cell, when it was locked and, after these, to store
  private int locked; // how many of order are locked
  private @Nullable List<Step> steps; // to store

  /**
   * Locks the cells, or some of them.
   *
   * @param charges those of the cells, in the same order
   */
  LockedCells(@Nullable Cell[] cells, List<Charge> charges) {
    this.cells = cells;
    this.order = order(cells, charges);
    this.words = new long[2 * cells.length];
    while (locked < order.length && lock(locked)) locked++;
  }

  private static int[] order(@Nullable Cell[] cells, List<Charge> charges) {
    if (cells.length == 1) return ONE;
    var indices = new Integer[cells.length];
    Arrays.setAll(indices, i -> i);
    Arrays.sort(
        indices,
        (one, other) -> {
          int difference = Integer.compare(charges.get(one).hash(), charges.get(other).hash());
          return difference == 0 ? EQUAL_HASHES.compare(cells[one], cells[other]) : difference;
        });
    var order = new int[cells.length];
    for (int i = 0; i < order.length; i++) order[i] = indices[i];
    return order;
  }

  private boolean lock(int position) {
    int index = order[position];
    var cell = cells[index];
    if (cell == null) return true;
    if (isRepeated(position)) {
      words[index] = words[order[position - 1]];
      return true;
    }
    return switch (cell) {
      case WordCell word -> (words[index] = word.tryLockWord()) >= 0;
      case StateCell state -> state.tryLock() != null;
    };
  }

  /** Returns whether the cell at this position is also the one before it, as in combined plans. */
  @SuppressWarnings("ReferenceEquality")
  private boolean isRepeated(int position) {
    return position > 0 && cells[order[position - 1]] == cells[order[position]];
  }

  /**
   * Returns whether every cell was alive and has been locked. If not, the other methods except
   * {@link #close} and {@link #awaitLock} must not be called.
   */
  boolean isComplete() {
    return locked == order.length;
  }

  /**
   * Waits for the cell that could not be locked. Must be called after {@link #close}.
   *
   * @param wait the result of the last call for this operation; null before the first
   * @throws IllegalStateException if the cell is stuck
   */
  LockWait awaitLock(@Nullable LockWait wait) {
    return LockWait.next(wait, Objects.requireNonNull(cells[order[locked]]));
  }

  /** Returns the states, in the order of the cells passed to the constructor. */
  List<State> states() {
    var all = new State[cells.length];
    for (int i = 0; i < all.length; i++) {
      all[i] =
          switch (cells[i]) {
            case null -> State.FRESH;
            case WordCell word -> word.decode(words[i]);
            case StateCell state -> state.lockedState();
          };
    }
    return Arrays.asList(all);
  }

  /**
   * Stores the new states when this is closed.
   *
   * @throws IllegalStateException if a state can't be stored in its cell; nothing is stored
   */
  void store(List<Step> steps) {
    for (int i = 0; i < cells.length; i++) {
      if (cells[i] instanceof WordCell word) {
        long encoded = word.encode(steps.get(i).state());
        words[cells.length + i] = WordCell.flagged(encoded, isRefused(steps, i));
      }
    }
    this.steps = steps;
  }

  private static boolean isRefused(List<Step> steps, int index) {
    return steps.get(index).outcome() instanceof Refused;
  }

  /** Unlocks the cells, with their new states if they are to be stored and unchanged otherwise. */
  @Override
  public void close() {
    for (int position = 0; position < locked; position++) {
      int index = order[position];
      // The last occurrence of a repeated cell has its state.
      if (position + 1 < locked && isRepeated(position + 1)) continue;
      var cell = cells[index];
      if (cell instanceof WordCell word) {
        word.unlockWord(words[steps == null ? index : cells.length + index]);
      } else if (cell instanceof StateCell state) {
        if (steps == null) state.restore(state.lockedState());
        else state.unlock(steps.get(index).state(), isRefused(steps, index));
      }
    }
  }
}
