package io.headgate.server.counts;

/**
 * The checks of the last hour in steps of 10 s and of the last day in steps of a minute. Needs at
 * most {@value #MAX_BYTES} bytes, plus the headers of the arrays. Not thread-safe.
 */
public final class CheckHistory {
  /** Seven counts of four bytes in each bucket. */
  static final int MAX_BYTES = 7 * 4 * (360 + 1_440);

  private final CheckRing hour;
  private final CheckRing day;

  /**
   * @param second the first second
   */
  public CheckHistory(long second) {
    this.hour = new CheckRing(Resolution.TEN_SECONDS, second);
    this.day = new CheckRing(Resolution.MINUTES, second);
  }

  /** Adds the checks of a second. Ignored where the second is no longer kept. */
  public void add(long second, OutcomeCounts outcomes) {
    hour.add(second, outcomes);
    day.add(second, outcomes);
  }

  /** Adds the checks of another history. */
  public void addAll(CheckHistory other) {
    hour.addAll(other.hour);
    day.addAll(other.day);
  }

  /** Returns the last hour, in buckets up to that of second {@code last}. */
  public CheckSeries hour(long last) {
    return hour.series(last);
  }

  /** Returns the last day, in buckets up to that of second {@code last}. */
  public CheckSeries day(long last) {
    return day.series(last);
  }

  long bytes() {
    return hour.bytes() + day.bytes();
  }
}
