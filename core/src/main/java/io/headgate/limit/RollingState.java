package io.headgate.limit;

import java.util.Arrays;

/**
 * When each request of the last window came, and what it took.
 *
 * <p>Behaves as an immutable list: a state that was handed out never changes. Underneath, a state
 * and its successors share one growing {@link Journal}, so that adding a request to a log of a
 * hundred thousand does not copy it.
 */
public final class RollingState implements State {
  private final Journal journal;
  private final int from;
  private final int to;
  private final long window;
  private final long permits;

  private RollingState(Journal journal, int from, int to, long window, long permits) {
    this.journal = journal;
    this.from = from;
    this.to = to;
    this.window = window;
    this.permits = permits;
  }

  static RollingState empty(long window, long permits) {
    return new RollingState(new Journal(2), 0, 0, window, permits);
  }

  /** The same log read by a limit of that window, without what has left it. */
  RollingState under(long window, long permits, long now) {
    int first = from;
    // What came at t counts until t + window, and no longer at it.
    while (first < to && journal.times[first] + window <= now) first++;
    if (first == from && window == this.window && permits == this.permits) return this;
    return new RollingState(journal, first, to, window, permits);
  }

  RollingState plus(long time, long cost) {
    var target = journal.ready(from, to);
    boolean moved = target != journal;
    int start = moved ? 0 : from;
    int end = moved ? to - from : to;
    target.append(end, time, cost);
    return new RollingState(target, start, end + 1, window, permits);
  }

  boolean isEmpty() {
    return from == to;
  }

  /** The time of the latest request; long ago if there is none. */
  long last() {
    return isEmpty() ? Long.MIN_VALUE / 2 : journal.times[to - 1];
  }

  long taken() {
    return isEmpty() ? 0 : journal.totals[to - 1] - journal.totalBefore(from);
  }

  /** When no more than {@code room} of what is here will be left in the window. */
  long fitsAt(long room) {
    if (taken() <= room) return Long.MIN_VALUE;
    long gone = journal.totals[to - 1] - room;
    int index = Arrays.binarySearch(journal.totals, from, to, gone);
    return journal.times[index >= 0 ? index : -index - 1] + window;
  }

  @Override
  public long freshAt() {
    return isEmpty() ? Long.MIN_VALUE : last() + window;
  }

  @Override
  public long used(long now) {
    return Share.of(under(window, permits, now).taken(), permits);
  }

  /**
   * Times and running totals, written once each. {@code written} says how far: only the state that
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

    Journal ready(int from, int to) {
      if (to == written && to < times.length) return this;
      int kept = to - from;
      var copy = new Journal(Math.max(2, kept + (kept >> 1) + 1));
      System.arraycopy(times, from, copy.times, 0, kept);
      long before = totalBefore(from);
      for (int i = 0; i < kept; i++) copy.totals[i] = totals[from + i] - before;
      copy.written = kept;
      return copy;
    }

    void append(int at, long time, long cost) {
      times[at] = time;
      totals[at] = totalBefore(at) + cost;
      written = at + 1;
    }
  }
}
