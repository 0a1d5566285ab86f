package io.headgate.limit;

import java.util.Arrays;

/**
 * The log of a rolling window: the time and cost of each request in the last window.
 *
 * <p>Behaves as an immutable list. Internally, a state and its successors share one growing {@link
 * Journal}, so that adding a request to a log of 100,000 does not copy it. The latest request is
 * written to the journal only when another follows it, so that a step whose state is discarded (a
 * peek, or another limit refused) does not cause a copy either.
 */
public final class RollingState implements State {
  private static final Journal EMPTY_JOURNAL = new Journal(0);

  private final Journal journal;
  private final int from;
  private final int to;
  private final long time; // of the latest request, which is not in the journal yet
  private final long cost; // of the latest request; 0 if the log is empty
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
    return new RollingState(EMPTY_JOURNAL, 0, 0, Long.MIN_VALUE / 2, 0, window, permits);
  }

  /**
   * Returns the log for a limit of that window, without the requests that have left it or the
   * window under which the log was written. A store may have evicted the latter, so a longer window
   * must not count them again.
   */
  RollingState readBy(long window, long permits, long now) {
    long counted = Math.min(window, this.window);
    // A request at t counts until t + window, exclusive.
    if (!isEmpty() && time + counted <= now) return empty(window, permits);
    int first = from;
    while (first < to && journal.times[first] + counted <= now) first++;
    if (first == from && window == this.window && permits == this.permits) return this;
    return new RollingState(journal, first, to, time, cost, window, permits);
  }

  RollingState plus(long time, long cost) {
    if (isEmpty()) return new RollingState(journal, from, to, time, cost, window, permits);
    var target = journal.with(from, to, this.time, this.cost);
    boolean copied = target != journal;
    int start = copied ? 0 : from;
    int end = copied ? to - from : to;
    return new RollingState(target, start, end + 1, time, cost, window, permits);
  }

  /**
   * Returns the log without the latest request of that time and cost; this log if it has none, or
   * if more than {@code maxLater} requests follow.
   */
  RollingState without(long time, long cost, int maxLater) {
    var times = times();
    var costs = costs();
    for (int i = times.length - 1; i >= 0 && times[i] >= time; i--) {
      if (times.length - 1 - i >= maxLater) return this;
      if (times[i] != time || costs[i] != cost) continue;
      var rest = empty(window, permits);
      for (int j = 0; j < times.length; j++) if (j != i) rest = rest.plus(times[j], costs[j]);
      return rest;
    }
    return this;
  }

  /** Returns the times of all requests, oldest first. */
  long[] times() {
    if (isEmpty()) return new long[0];
    var times = Arrays.copyOfRange(journal.times, from, to + 1);
    times[to - from] = time;
    return times;
  }

  /** Returns the costs of all requests, oldest first. */
  long[] costs() {
    if (isEmpty()) return new long[0];
    var costs = new long[to - from + 1];
    for (int i = from; i < to; i++) {
      costs[i - from] = journal.totalBefore(i + 1) - journal.totalBefore(i);
    }
    costs[to - from] = cost;
    return costs;
  }

  long window() {
    return window;
  }

  long permits() {
    return permits;
  }

  boolean isEmpty() {
    return cost == 0;
  }

  /** Returns the time of the latest request; far in the past if there is none. */
  long last() {
    return time;
  }

  long taken() {
    return journal.totalBefore(to) - journal.totalBefore(from) + cost;
  }

  /** Returns when at most {@code room} permits of the log are left in the window. */
  long fitsAt(long room) {
    if (taken() <= room) return Long.MIN_VALUE;
    long toExpire = journal.totalBefore(from) + taken() - room;
    int found = Arrays.binarySearch(journal.totals, from, to, toExpire);
    int index = found >= 0 ? found : -found - 1;
    return (index < to ? journal.times[index] : time) + window;
  }

  @Override
  public long freshAt() {
    return isEmpty() ? Long.MIN_VALUE : time + window;
  }

  @Override
  public long used(long now) {
    return Utilization.of(readBy(window, permits, now).taken(), permits);
  }

  /**
   * Append-only times and running totals. Only a state that ends at {@code written} may append. A
   * state whose successor has already appended copies its own part instead.
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

    /** Returns a journal with this request at {@code to}: this one if possible, or a copy. */
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
