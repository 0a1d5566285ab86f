package io.headgate.server.quota;

/**
 * The request rate of one bucket at one proxy, estimated from its reports by this instance's clock.
 * A pure value.
 *
 * @param perSecond the requests per second as an exponentially weighted moving average; negative
 *     before the second report
 * @param interval the time between the last two reports, in nanoseconds
 * @param reportedAt when the last report arrived
 * @param activeAt when the last report with a request arrived
 */
record Demand(double perSecond, long interval, long reportedAt, long activeAt) {
  private static final double SMOOTHING = 0.3; // weight of the previous rate
  private static final double NANOS_PER_SECOND = 1e9;

  /** Reports in quick succession, as after an assignment, show no rate. */
  private static final long MIN_INTERVAL = 50_000_000;

  /** More than one proxy can decide: its reports may have any number. */
  private static final long MAX_PER_SECOND = 1_000_000;

  /** Returns the demand at the first report. */
  static Demand first(long now) {
    return new Demand(-1, 0, now, now);
  }

  boolean isKnown() {
    return perSecond >= 0;
  }

  /** Returns the number of requests that are expected in some time. */
  double expected(long time) {
    return Math.max(0, perSecond) * time / NANOS_PER_SECOND;
  }

  /** Returns the most requests that a report can have that arrives now. */
  long most(long now, long roundTrip) {
    double seconds = (now - reportedAt + roundTrip) / NANOS_PER_SECOND;
    return (long) (seconds * MAX_PER_SECOND);
  }

  /** Returns the demand after a report of {@code requests}, admitted or not. */
  Demand reported(long requests, long now) {
    long active = requests > 0 ? now : activeAt;
    long elapsed = now - reportedAt;
    if (elapsed < MIN_INTERVAL) {
      return new Demand(perSecond, interval, reportedAt, active);
    }
    double latest = requests * NANOS_PER_SECOND / elapsed;
    double rate = isKnown() ? SMOOTHING * perSecond + (1 - SMOOTHING) * latest : latest;
    return new Demand(rate, elapsed, now, active);
  }
}
