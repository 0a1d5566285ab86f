package io.headgate.internal.consistency;

import io.headgate.limit.Holdable;

/**
 * The time by which a lease reports its spent permits, so that they count in the period in which
 * they were spent: a fixed window, or a bucket of a sliding window. A permit that is reported later
 * counts for that much longer, and is missing at its end.
 *
 * <p>Buckets have no deadline, nor have counters whose limit is not nearly used up. Times are
 * values of {@code System.nanoTime}, except if stated otherwise. Not thread-safe.
 */
final class ReportDeadline {
  /** The part of the limit that all instances together use, above which there is a deadline. */
  private static final double MIN_UTILIZATION = 0.5;

  /** The value of {@link #startTimer} if no timer is needed. */
  static final long NONE = Long.MAX_VALUE;

  private long at = NONE;
  private long margin; // in nanoseconds
  private long period; // in nanoseconds
  private boolean needed;
  private boolean timed;

  /** Sets whether the limit is used so much that late reports would cost permits. */
  void setUtilization(double utilization) {
    needed = utilization > MIN_UTILIZATION;
  }

  /** Removes the deadline. */
  void clear() {
    at = NONE;
  }

  /**
   * Sets the deadline by a reply of the store.
   *
   * @param sentAt when the request was sent
   * @param now when the reply arrived
   * @param storeTime the time of the reply by the store's clock, in microseconds
   */
  void set(Holdable limit, long sentAt, long now, long storeTime) {
    at = NONE;
    if (!needed) return;
    long roundTrip = (now - sentAt) / 1_000;
    long periodMicros = LeaseSizing.period(limit);
    long marginMicros = Math.clamp(roundTrip, periodMicros / 100, periodMicros / 16);
    // The request may have been executed as soon as it was sent, so the period may end this early.
    long end = LeaseSizing.periodEnd(limit, storeTime + roundTrip + 2 * marginMicros);
    if (end == Long.MAX_VALUE) return;
    margin = marginMicros * 1_000;
    period = periodMicros * 1_000;
    at = sentAt + (end - storeTime) * 1_000 - margin;
  }

  /** Returns whether the next check should send the report. */
  boolean isNear(long now) {
    return at != NONE && now - at >= -margin;
  }

  /** Returns whether the report has to be sent now, even without a check. */
  boolean isDue(long now) {
    return at != NONE && now - at >= 0;
  }

  /** Moves a deadline that has come to the next period, because nothing was to be reported. */
  void skipPeriod(long now) {
    at += ((now - at) / period + 1) * period;
  }

  /** Marks a timer as started; returns when it ends, or {@link #NONE} if it is not needed. */
  long startTimer() {
    if (at == NONE || timed) return NONE;
    timed = true;
    return at;
  }

  /** Marks the timer as ended. */
  void timerEnded() {
    timed = false;
  }
}
