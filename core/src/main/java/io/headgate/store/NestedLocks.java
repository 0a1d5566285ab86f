package io.headgate.store;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.rule.Charge;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Charges the cells of a plan if all of its limits pass, which is the most frequent case of several
 * limits.
 *
 * <p>Each cell is locked by one call, which calls itself for the next cell and unlocks its own on
 * return. The innermost call, while all cells are locked, is the moment of the decision: whatever
 * may fail, such as an allocation, precedes it, and after it nothing is left but to store.
 *
 * <p>The words that {@link LockedCells} has in arrays are variables here. That saves time because
 * an atomic instruction waits for all earlier writes, and those to new memory are slow.
 */
final class NestedLocks {
  private static final int MAX_CELLS = 8;
  private static final int INDEX_BITS = 4;
  private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
  private static final int NO_ORDER = -1;

  private NestedLocks() {}

  /**
   * Charges all cells or none.
   *
   * @param cells those of the charges, none of them missing
   * @return the outcomes; null if a limit does not pass, a cell could not be locked, or there are
   *     too many cells. {@link LockedCells} decides then
   */
  static Outcome @Nullable [] charge(@Nullable Cell[] cells, List<Charge> charges, long now) {
    if (cells.length > MAX_CELLS) return null;
    int order = order(charges);
    return order == NO_ORDER ? null : charge(cells, charges, order, 0, now);
  }

  /**
   * Returns the indices of the charges in the order in which {@link LockedCells} locks their cells,
   * the first in the lowest bits; {@link #NO_ORDER} if two hashes are equal.
   */
  private static int order(List<Charge> charges) {
    int order = 0;
    for (int i = 1; i < charges.size(); i++) {
      int hash = charges.get(i).hash();
      int before = 0; // how many are locked before this one
      for (int j = 0; j < i; j++) {
        int other = charges.get((order >>> (j * INDEX_BITS)) & INDEX_MASK).hash();
        if (other == hash) return NO_ORDER;
        if (other < hash) before = j + 1;
      }
      int low = (1 << (before * INDEX_BITS)) - 1;
      order = ((order & ~low) << INDEX_BITS) | (i << (before * INDEX_BITS)) | (order & low);
    }
    return order;
  }

  private static Outcome @Nullable [] charge(
      @Nullable Cell[] cells, List<Charge> charges, int order, int position, long now) {
    if (position == cells.length) return new Outcome[cells.length];
    int index = (order >>> (position * INDEX_BITS)) & INDEX_MASK;
    var cell = cells[index];
    if (cell instanceof WordCell word) {
      return charge(word, index, cells, charges, order, position, now);
    }
    return cell instanceof StateCell state
        ? charge(state, index, cells, charges, order, position, now)
        : null;
  }

  private static Outcome @Nullable [] charge(
      WordCell cell,
      int index,
      @Nullable Cell[] cells,
      List<Charge> charges,
      int order,
      int position,
      long now) {
    long seen = cell.tryLockWord();
    if (seen < 0) return null;
    Outcome[] outcomes = null;
    long next = seen;
    try {
      var charge = charges.get(index);
      long charged = cell.charged(seen, charge, now);
      if (charged != WordCell.NOT_PASSED) {
        var passed = cell.passed(seen, charge, now);
        outcomes = charge(cells, charges, order, position + 1, now);
        if (outcomes != null) {
          outcomes[index] = passed;
          next = charged;
        }
      }
    } finally {
      cell.unlockWord(next);
    }
    return outcomes;
  }

  private static Outcome @Nullable [] charge(
      StateCell cell,
      int index,
      @Nullable Cell[] cells,
      List<Charge> charges,
      int order,
      int position,
      long now) {
    var seen = cell.tryLock();
    if (seen == null) return null;
    Outcome[] outcomes = null;
    var next = seen;
    try {
      var step = charges.get(index).step(seen, now);
      if (step.outcome() instanceof Passed passed) {
        outcomes = charge(cells, charges, order, position + 1, now);
        if (outcomes != null) {
          outcomes[index] = passed;
          next = step.state();
        }
      }
    } finally {
      if (outcomes == null) cell.restore(seen);
      else cell.unlock(next, false);
    }
    return outcomes;
  }
}
