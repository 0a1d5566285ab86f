package io.headgate.store;

import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one plan, locked together until {@link #close}.
 *
 * <p>Cells are locked in one global order, which prevents deadlock. A missing cell (null) stands
 * for a fresh state whose change is not stored. A cell that occurs more than once is locked once,
 * and the state of its last occurrence is stored.
 *
 * <p>The fields of the cells are in arrays, in the order of the plan's charges: an object for each
 * cell would be a third of the allocation of a decision.
 *
 * <p>Used by one thread.
 */
final class LockedCells implements AutoCloseable {
  /**
   * The locking order of cells whose hashes are equal. {@code String.hashCode} is cached and cheap
   * to compare. It needs no secret key here, since a collision only costs a comparison between the
   * few keys of one plan.
   */
  private static final Comparator<@Nullable Cell> LOCKING_ORDER =
      Comparator.nullsFirst(
          Comparator.comparing((Cell cell) -> cell.key)
              .thenComparing(cell -> cell.counter.rule())
              .thenComparing(cell -> cell.counter.id()));

  /** Plans of more cells are sorted in less than quadratic time. */
  private static final int INSERTION_SORT_MAX = 8;

  private final @Nullable Cell[] cells;
  private final State[] states;
  private final int[] order; // indices of cells in locking order
  private int locked; // how many of order are locked
  private final boolean complete;
  private @Nullable List<Step> stored;

  LockedCells(@Nullable Cell[] cells) {
    this.cells = cells;
    this.states = new State[cells.length];
    this.order = cells.length > INSERTION_SORT_MAX ? sorted(cells) : insertionSorted(cells);
    this.complete = lockAll();
  }

  private static int[] sorted(@Nullable Cell[] cells) {
    var indices = new Integer[cells.length];
    Arrays.setAll(indices, i -> i);
    Arrays.sort(indices, (one, other) -> compare(cells[one], cells[other]));
    return Arrays.stream(indices).mapToInt(Integer::intValue).toArray();
  }

  private static int[] insertionSorted(@Nullable Cell[] cells) {
    var order = new int[cells.length];
    for (int i = 1; i < order.length; i++) {
      int at = i;
      for (; at > 0 && compare(cells[i], cells[order[at - 1]]) < 0; at--) order[at] = order[at - 1];
      order[at] = i;
    }
    return order;
  }

  private static int compare(@Nullable Cell one, @Nullable Cell other) {
    int difference = Integer.compare(hash(one), hash(other));
    return difference == 0 ? LOCKING_ORDER.compare(one, other) : difference;
  }

  private static int hash(@Nullable Cell cell) {
    return cell == null ? Integer.MIN_VALUE : 31 * cell.key.hashCode() + cell.counter.hashCode();
  }

  private boolean lockAll() {
    for (; locked < order.length; locked++) {
      int index = order[locked];
      var cell = cells[index];
      var state = State.FRESH;
      if (cell != null) {
        var seen = isRepeated(locked) ? states[order[locked - 1]] : cell.tryLock();
        if (seen == null) return false;
        state = seen;
      }
      states[index] = state;
    }
    return true;
  }

  /** Returns whether the cell at this position is also the one before it, as in combined plans. */
  @SuppressWarnings("ReferenceEquality")
  private boolean isRepeated(int position) {
    return position > 0 && cells[order[position - 1]] == cells[order[position]];
  }

  /**
   * Returns whether every cell was alive and has been locked. If not, the other methods except
   * {@link #close} must not be called.
   */
  boolean isComplete() {
    return complete;
  }

  /** Returns the states, in the order of the cells passed to the constructor. */
  List<State> states() {
    return Arrays.asList(states);
  }

  /** Stores the new states when this is closed. */
  void store(List<Step> steps) {
    stored = steps;
  }

  /** Unlocks the cells, with their new states after {@link #store} and unchanged otherwise. */
  @Override
  public void close() {
    for (int position = 0; position < locked; position++) {
      int index = order[position];
      var cell = cells[index];
      // The last occurrence of a repeated cell has its state.
      if (cell == null || (position + 1 < locked && isRepeated(position + 1))) continue;
      if (stored == null) {
        cell.restore(states[index]);
      } else {
        var step = stored.get(index);
        cell.unlock(step.state(), step.outcome() instanceof Refused);
      }
    }
  }
}
