package io.headgate.limit;

import java.util.Arrays;

/**
 * When each request of the last window came, and what it took.
 *
 * <p>Behaves as an immutable list: a state that was handed out never changes. Underneath, a state
 * and its successors share one growing {@link Journal}, so that adding a request to a log of a
 * hundred thousand does not copy it. The latest request is written there only when another follows
 * it: a step that nobody keeps, because it was a mere look or because another limit refused, must
 * not cost a copy either.
 */
public final class RollingState implements State {
  private static final Journal NOTHING = new Journal(0);

  private final Journal journal;
  private final int from;
  private final int to;
  private final long time; // of the latest request, which comes after the journal's
  private final long cost; // 0 if there is none at all
  private final long window;
  private final long permits;

  private RollingState(
      Journal journal, int from, int to, long time, long cost, long window, long permits) {
    this.journal = journal;
    this.from = from;
    this.to = to;
    this.time = time;
    this.cost = cost;
    this.window = window;
    this.permits = permits;
  }

  static RollingState empty(long window, long permits) {
    return new RollingState(NOTHING, 0, 0, Long.MIN_VALUE / 2, 0, window, permits);
  }

  /** The same log read by a limit of that window, without what has left it. */
  RollingState under(long window, long permits, long now) {
    // What came at t counts until t + window, and no longer at it.
    if (!isEmpty() && time + window <= now) return empty(window, permits);
    int first = from;
    while (first < to && journal.times[first] + window <= now) first++;
    if (first == from && window == this.window && permits == this.permits) return this;
    return new RollingState(journal, first, to, time, cost, window, permits);
  }

  RollingState plus(long time, long cost) {
    if (isEmpty()) return new RollingState(journal, from, to, time, cost, window, permits);
    var target = journal.with(from, to, this.time, this.cost);
    boolean moved = target != journal;
    int start = moved ? 0 : from;
    int end = moved ? to - from : to;
    return new RollingState(target, start, end + 1, time, cost, window, permits);
  }

  boolean isEmpty() {
    return cost == 0;
  }

  /** The time of the latest request; long ago if there is none. */
  long last() {
    return time;
  }

  long taken() {
    return journal.totalBefore(to) - journal.totalBefore(from) + cost;
  }

  /** When no more than {@code room} of what is here will be left in the window. */
  long fitsAt(long room) {
    if (taken() <= room) return Long.MIN_VALUE;
    long gone = journal.totalBefore(from) + taken() - room;
    int found = Arrays.binarySearch(journal.totals, from, to, gone);
    int index = found >= 0 ? found : -found - 1;
    return (index < to ? journal.times[index] : time) + window;
  }

  @Override
  public long freshAt() {
    return isEmpty() ? Long.MIN_VALUE : time + window;
  }

  @Override
  public long used(long now) {
    return Utilization.of(under(window, permits, now).taken(), permits);
  }

  /**
   * Times and running totals, written once each. {@code written} says how far: only a state that
   * ends there may append; a state that somebody has overtaken copies what is its own.
   */
  private static final class Journal {
    final long[] times;
    final long[] totals;
    private int written;

    Journal(int room) {
      times = new long[room];
      totals = new long[room];
    }

    long totalBefore(int index) {
      return index == 0 ? 0 : totals[index - 1];
    }

    /** A journal that goes on after {@code to} with this request: this one, if it can be. */
    Journal with(int from, int to, long time, long cost) {
      long total = totalBefore(to) + cost;
      if (to < written && times[to] == time && totals[to] == total) return this;
      if (to == written && to < times.length) {
        append(time, total);
        return this;
      }
      int kept = to - from;
      var copy = new Journal(kept + (kept >> 1) + 2);
      System.arraycopy(times, from, copy.times, 0, kept);
      long before = totalBefore(from);
      for (int i = 0; i < kept; i++) copy.totals[i] = totals[from + i] - before;
      copy.written = kept;
      copy.append(time, total - before);
      return copy;
    }

    private void append(long time, long total) {
      times[written] = time;
      totals[written] = total;
      written++;
    }
  }
}
