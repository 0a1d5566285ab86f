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
  private final List<@Nullable Cell> cells;
  private final State[] states;
  private final Integer[] order;
  private int locked; // so many of the order are
  private final boolean complete;
  private final boolean[] refused;
  private boolean kept;

  LockedCells(List<@Nullable Cell> cells) {
    this.cells = cells;
    this.states = new State[cells.size()];
    this.refused = new boolean[cells.size()];
    this.order = new Integer[cells.size()];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, Comparator.comparing(cells::get, BY_NAME));
    this.complete = lockAll();
  }

  private static final Comparator<@Nullable Cell> BY_NAME =
      Comparator.nullsFirst(
          Comparator.comparing((Cell cell) -> cell.key)
              .thenComparing(cell -> cell.counter.rule())
              .thenComparing(cell -> cell.counter.name()));

  private boolean lockAll() {
    for (; locked < order.length; locked++) {
      var cell = cells.get(order[locked]);
      var state = cell == null ? State.FRESH : isAgain(locked) ? lastState() : cell.tryLock();
      if (state == null) return false;
      states[order[locked]] = state;
    }
    return true;
  }

  /** Whether this cell, by its place in the order, is the one before: in joint plans it may be. */
  @SuppressWarnings("ReferenceEquality")
  private boolean isAgain(int place) {
    return place > 0 && cells.get(order[place - 1]) == cells.get(order[place]);
  }

  private State lastState() {
    return states[order[locked - 1]];
  }

  /** Whether every cell was alive and free; if not, nothing may be read or kept here. */
  boolean isComplete() {
    return complete;
  }

  List<State> states() {
    return new ArrayList<>(Arrays.asList(states));
  }

  void keep(List<Step> steps) {
    for (int i = 0; i < states.length; i++) {
      states[i] = steps.get(i).state();
      refused[i] = steps.get(i).outcome() instanceof Refused;
    }
    kept = true;
  }

  @Override
  public void close() {
    for (int i = 0; i < locked; i++) {
      var cell = cells.get(order[i]);
      if (cell == null || (i + 1 < locked && isAgain(i + 1))) continue; // the last has its state
      if (kept) cell.unlock(states[order[i]], refused[order[i]]);
      else cell.putBack(states[order[i]]);
    }
  }
}
