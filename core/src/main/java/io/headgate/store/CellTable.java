package io.headgate.store;

import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All cells, found by counter and key. Finding takes no lock; adding and removing lock one of the
 * table's {@link Segment}s.
 *
 * <p>A map of our own rather than a {@code ConcurrentHashMap}, because a cell is its own entry here
 * (40 bytes a key in all, not 64 and more), and because a full table must choose what to forget by
 * what is in it.
 */
public final class CellTable {
  private static final int MOST_SEGMENTS = 64;
  private static final int LEAST_CELLS_PER_SEGMENT = 256;

  private final Segment[] segments;

  /** Those of each segment, here so that who only looks has one place less to go to. */
  private final @Nullable Cell[][] chains;

  public CellTable(int mostCells) {
    int count = 1;
    while (count < MOST_SEGMENTS && mostCells / (count * 2) >= LEAST_CELLS_PER_SEGMENT) count *= 2;
    segments = new Segment[count];
    chains = new @Nullable Cell[count][];
    for (int i = 0; i < count; i++) {
      segments[i] = new Segment(chains, i, mostCells / count + (i < mostCells % count ? 1 : 0));
    }
  }

  /** The cell of this counter and key, or null. */
  @Nullable Cell find(Counter counter, String key) {
    int hash = Charge.hashOf(counter, key);
    return segment(hash).findSurely(counter, key, hash);
  }

  /** The parts of the table in which these charges have their cells, in the order to lock them. */
  List<Segment> segmentsOf(List<Charge> charges) {
    var touched = new boolean[segments.length];
    for (var charge : charges) touched[index(charge.hash())] = true;
    var some = new ArrayList<Segment>();
    for (int i = 0; i < touched.length; i++) {
      if (touched[i]) some.add(segments[i]);
    }
    return some;
  }

  /** A cell that suits the charge, made if need be. */
  Cell obtain(Charge charge, long now) {
    int hash = charge.hash();
    var cell = Segment.find(chains, index(hash), charge.counter(), charge.key(), hash);
    return cell != null && cell.suits(charge) ? cell : segment(hash).obtain(charge, now);
  }

  /** Ends the cell of this counter and key, if there is one. */
  void remove(Counter counter, String key) {
    int hash = Charge.hashOf(counter, key);
    segment(hash).remove(counter, key, hash);
  }

  /** Ends the cells, in part {@code part} of {@code parts}, that have been fresh for a while. */
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
    return hash >>> 26 & segments.length - 1;
  }

  static Cell newCell(Charge charge, State state) {
    return state instanceof State.Fresh && WordCell.holds(charge.limit())
        ? new WordCell(charge.counter(), charge.key())
        : new StateCell(charge.counter(), charge.key(), state);
  }
}
