package io.headgate.server.simulation;

import java.util.Comparator;
import java.util.OptionalLong;

/** Decisions for one caller under the current rules ("before") and the proposed ones ("after"). */
public final class CallerComparison {
  static final Comparator<CallerComparison> MOST_CHANGED_FIRST =
      Comparator.<CallerComparison>comparingLong(c -> -Math.abs(c.deniedAfter - c.deniedBefore))
          .thenComparingLong(c -> -c.deniedAfter)
          .thenComparingLong(c -> -c.requests)
          .thenComparing(CallerComparison::caller);
  static final Comparator<CallerComparison> MOST_DENIED_FIRST =
      Comparator.<CallerComparison>comparingLong(c -> -c.deniedAfter)
          .thenComparingLong(c -> -c.deniedBefore)
          .thenComparingLong(c -> -c.requests)
          .thenComparing(CallerComparison::caller);

  private final String caller;
  private long requests;
  private long deniedBefore;
  private long deniedAfter;
  private long firstDenied = Long.MIN_VALUE;

  CallerComparison(String caller) {
    this.caller = caller;
  }

  void count(long micros, boolean before, boolean after) {
    requests++;
    if (before) deniedBefore++;
    if (!after) return;
    if (deniedAfter++ == 0) firstDenied = micros;
  }

  public String caller() {
    return caller;
  }

  public long requests() {
    return requests;
  }

  public long deniedBefore() {
    return deniedBefore;
  }

  public long deniedAfter() {
    return deniedAfter;
  }

  /** Returns the time of its first denial under the proposed rules, in microseconds. */
  public OptionalLong firstDenied() {
    return deniedAfter == 0 ? OptionalLong.empty() : OptionalLong.of(firstDenied);
  }
}
