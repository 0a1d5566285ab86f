package io.headgate.store;

import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import java.util.ArrayList;
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
 * <p>Used by one thread.
 */
final class LockedCells implements AutoCloseable {
  private static final int INSERTION_SORT_MAX = 8;

  /**
   * The locking order: by hash, and by key and counter where hashes are equal. {@code
   * String.hashCode} is cached and cheap to compare. It needs no secret key here, since a collision
   * only costs a comparison between the few keys of one plan.
   */
  private static final Comparator<Entry> LOCKING_ORDER =
      Comparator.comparingInt((Entry entry) -> entry.hash)
          .thenComparing(
              entry -> entry.cell,
              Comparator.nullsFirst(
                  Comparator.comparing((Cell cell) -> cell.key)
                      .thenComparing(cell -> cell.counter.rule())
                      .thenComparing(cell -> cell.counter.id())));

  /** A cell and its state. */
  private static final class Entry {
    final @Nullable Cell cell;
    final int hash;
    State state = State.FRESH;
    boolean refused;

    Entry(@Nullable Cell cell) {
      this.cell = cell;
      this.hash =
          cell == null ? Integer.MIN_VALUE : 31 * cell.key.hashCode() + cell.counter.hashCode();
    }
  }

  private final Entry[] entries; // in the order of the plan's charges
  private final Entry[] sorted; // in locking order
  private int locked; // how many of sorted are locked
  private final boolean complete;
  private boolean stored;

  LockedCells(List<@Nullable Cell> cells) {
    entries = new Entry[cells.size()];
    for (int i = 0; i < entries.length; i++) entries[i] = new Entry(cells.get(i));
    sorted = entries.clone();
    sort(sorted);
    complete = lockAll();
  }

  /** Sorts stably into locking order. */
  private static void sort(Entry[] entries) {
    if (entries.length > INSERTION_SORT_MAX) {
      Arrays.sort(entries, LOCKING_ORDER);
      return;
    }
    for (int i = 1; i < entries.length; i++) {
      var entry = entries[i];
      int at = i;
      for (; at > 0 && isBefore(entry, entries[at - 1]); at--) entries[at] = entries[at - 1];
      entries[at] = entry;
    }
  }

  private static boolean isBefore(Entry one, Entry other) {
    return one.hash == other.hash ? LOCKING_ORDER.compare(one, other) < 0 : one.hash < other.hash;
  }

  private boolean lockAll() {
    for (; locked < sorted.length; locked++) {
      var entry = sorted[locked];
      if (entry.cell == null) continue;
      var state = isRepeated(locked) ? sorted[locked - 1].state : entry.cell.tryLock();
      if (state == null) return false;
      entry.state = state;
    }
    return true;
  }

  /** Returns whether the cell at this index is also the one before it, as in combined plans. */
  @SuppressWarnings("ReferenceEquality")
  private boolean isRepeated(int index) {
    return index > 0 && sorted[index - 1].cell == sorted[index].cell;
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
    var states = new ArrayList<State>(entries.length);
    for (var entry : entries) states.add(entry.state);
    return states;
  }

  /** Stores the new states when this is closed. */
  void store(List<Step> steps) {
    for (int i = 0; i < entries.length; i++) {
      var step = steps.get(i);
      entries[i].state = step.state();
      entries[i].refused = step.outcome() instanceof Refused;
    }
    stored = true;
  }

  /** Unlocks the cells, with their new states after {@link #store} and unchanged otherwise. */
  @Override
  public void close() {
    for (int i = 0; i < locked; i++) {
      var entry = sorted[i];
      // The last occurrence of a repeated cell has its state.
      if (entry.cell == null || (i + 1 < locked && isRepeated(i + 1))) continue;
      if (stored) entry.cell.unlock(entry.state, entry.refused);
      else entry.cell.restore(entry.state);
    }
  }
}
