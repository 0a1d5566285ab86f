package io.headgate.store;

import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A concurrent hash table of cells by counter and key. Lookups take no lock; insertions and
 * removals lock one {@link Segment}.
 *
 * <p>Used instead of a {@code ConcurrentHashMap} for two reasons. A cell is its own table entry,
 * which takes 40 bytes per key instead of 64 or more. And a full table selects a victim by the
 * states it contains.
 */
final class CellTable {
  private static final int MAX_SEGMENTS = 64;
  private static final int MIN_CELLS_PER_SEGMENT = 256;

  private final Segment[] segments;

  /** The chains of each segment. Kept here to save lookups one indirection. */
  private final @Nullable Cell[][] chains;

  /**
   * Creates an empty table.
   *
   * @param maxCells the number of cells above which each insertion evicts one
   */
  CellTable(int maxCells) {
    int count = 1;
    while (count < MAX_SEGMENTS && maxCells / (count * 2) >= MIN_CELLS_PER_SEGMENT) count *= 2;
    segments = new Segment[count];
    chains = new @Nullable Cell[count][];
    for (int i = 0; i < count; i++) {
      segments[i] = new Segment(chains, i, maxCells / count + (i < maxCells % count ? 1 : 0));
    }
  }

  /** Returns the cell of this counter and key, or null. */
  @Nullable Cell find(Counter counter, String key) {
    int hash = Charge.hashOf(counter, key);
    return segment(hash).find(counter, key, hash);
  }

  /** Returns the segments that contain the cells of these charges, in locking order. */
  List<Segment> segmentsOf(List<Charge> charges) {
    var touched = new boolean[segments.length];
    for (var charge : charges) touched[index(charge.hash())] = true;
    var result = new ArrayList<Segment>();
    for (int i = 0; i < touched.length; i++) {
      if (touched[i]) result.add(segments[i]);
    }
    return result;
  }

  /** Returns a cell that accepts the charge, creating it if necessary. */
  Cell obtain(Charge charge, long now) {
    int hash = charge.hash();
    var counter = charge.counter();
    var cell = Segment.findUnlocked(chains, index(hash), counter, charge.key(), hash);
    if (cell != null && (cell.hasCounter(counter) || cell.accepts(charge))) return cell;
    return segment(hash).obtain(charge, now);
  }

  /**
   * Returns the cell of the charge's counter as one that can store any state, also with holds or
   * with a debt above the limit, which the word of a {@link WordCell} can't. Replaces such a cell
   * by one with the same state.
   */
  Cell obtainForAnyState(Charge charge, long now) {
    int hash = charge.hash();
    var cell = Segment.findUnlocked(chains, index(hash), charge.counter(), charge.key(), hash);
    return cell instanceof StateCell ? cell : segment(hash).obtainForAnyState(charge, now);
  }

  /** Removes the cell of this counter and key, if there is one. */
  void remove(Counter counter, String key) {
    int hash = Charge.hashOf(counter, key);
    segment(hash).remove(counter, key, hash);
  }

  /**
   * Removes the cells of part {@code part} of {@code parts} whose states became fresh more than
   * {@link Segment#GRACE} ago.
   */
  void sweep(long now, int part, int parts) {
    for (int i = part; i < segments.length; i += parts) segments[i].sweep(now);
  }

  long size() {
    long size = 0;
    for (var segment : segments) size += segment.size();
    return size;
  }

  private Segment segment(int hash) {
    return segments[index(hash)];
  }

  private int index(int hash) {
    return hash >>> 26 & chains.length - 1;
  }

  static Cell newCell(Charge charge, State state) {
    var counter = charge.counter();
    if (state instanceof State.Fresh) {
      if (BucketCell.holds(charge.limit())) return new BucketCell(counter, charge.key());
      if (WindowCell.holds(charge.limit())) return new WindowCell(counter, charge.key());
    }
    return new StateCell(counter, charge.key(), state);
  }
}
