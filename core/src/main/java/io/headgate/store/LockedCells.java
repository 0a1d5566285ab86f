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
 * Several cells, locked together until closed.
 *
 * <p>All who lock several lock them in the same order, so that no two wait for each other. A
 * missing cell (null) stands for a fresh state that nobody is to keep. A cell that comes twice is
 * locked once, and the state kept is that of its last coming.
 */
final class LockedCells implements AutoCloseable {
  private static final int FEW = 8;

  /**
   * By a hash that texts keep, since numbers are compared sooner than names; by name where that
   * does not tell. Equal hashes cost a comparison of a plan's own few keys and need no secret.
   */
  private static final Comparator<Entry> IN_ORDER =
      Comparator.comparingInt((Entry entry) -> entry.hash)
          .thenComparing(
              entry -> entry.cell,
              Comparator.nullsFirst(
                  Comparator.comparing((Cell cell) -> cell.key)
                      .thenComparing(cell -> cell.counter.rule())
                      .thenComparing(cell -> cell.counter.id())));

  /** One of them, and what is in it. */
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

  private final Entry[] entries;
  private final Entry[] order; // in which they are locked
  private int locked; // so many of the order are
  private final boolean complete;
  private boolean kept;

  LockedCells(List<@Nullable Cell> cells) {
    entries = new Entry[cells.size()];
    for (int i = 0; i < entries.length; i++) entries[i] = new Entry(cells.get(i));
    order = entries.clone();
    sort(order);
    complete = lockAll();
  }

  /** Those that are equal stay in the order in which they came. */
  private static void sort(Entry[] some) {
    if (some.length > FEW) {
      Arrays.sort(some, IN_ORDER);
      return;
    }
    for (int i = 1; i < some.length; i++) {
      var next = some[i];
      int place = i;
      for (; place > 0 && isBefore(next, some[place - 1]); place--) some[place] = some[place - 1];
      some[place] = next;
    }
  }

  private static boolean isBefore(Entry one, Entry other) {
    return one.hash == other.hash ? IN_ORDER.compare(one, other) < 0 : one.hash < other.hash;
  }

  private boolean lockAll() {
    for (; locked < order.length; locked++) {
      var next = order[locked];
      if (next.cell == null) continue;
      var state = isAgain(locked) ? order[locked - 1].state : next.cell.tryLock();
      if (state == null) return false;
      next.state = state;
    }
    return true;
  }

  /** Whether this cell, by its place in the order, is the one before: in joint plans it may be. */
  @SuppressWarnings("ReferenceEquality")
  private boolean isAgain(int place) {
    return place > 0 && order[place - 1].cell == order[place].cell;
  }

  /** Whether every cell was alive and free; if not, nothing may be read or kept here. */
  boolean isComplete() {
    return complete;
  }

  List<State> states() {
    var states = new ArrayList<State>(entries.length);
    for (var each : entries) states.add(each.state);
    return states;
  }

  void keep(List<Step> steps) {
    for (int i = 0; i < entries.length; i++) {
      var step = steps.get(i);
      entries[i].state = step.state();
      entries[i].refused = step.outcome() instanceof Refused;
    }
    kept = true;
  }

  @Override
  public void close() {
    for (int i = 0; i < locked; i++) {
      var each = order[i];
      if (each.cell == null || (i + 1 < locked && isAgain(i + 1)))
        continue; // the last has its state
      if (kept) each.cell.unlock(each.state, each.refused);
      else each.cell.restore(each.state);
    }
  }
}
