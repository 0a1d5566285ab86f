package io.headgate.internal.consistency;

/**
 * Measures the permits requested per second of one counter, as an exponentially weighted moving
 * average. Times are values of {@code System.nanoTime}. Not thread-safe.
 */
final class DemandMeter {
  private static final double SMOOTHING = 0.5; // weight of the previous demand

  private long requested; // permits, since the last measurement
  private long since;
  private double perSecond = -1; // -1: unknown

  DemandMeter(long now) {
    this.since = now;
  }

  /** Records that permits were requested. */
  void record(long permits) {
    requested += permits;
  }

  /** Returns whether there has been at most one request, which shows no rate. */
  boolean isUnknown() {
    return perSecond < 0 && requested <= 1;
  }

  /** Measures the demand since the last call. The first request of all is not counted. */
  double measure(long now) {
    double seconds = (now - since) / 1e9;
    if (seconds < 0.001) return Math.max(0, perSecond);
    perSecond =
        perSecond < 0
            ? Math.max(0, requested - 1) / seconds
            : SMOOTHING * perSecond + (1 - SMOOTHING) * requested / seconds;
    requested = 0;
    since = now;
    return perSecond;
  }

  /** Returns the permits requested per second, for statistics. */
  double recent(long now) {
    double seconds = (now - since) / 1e9;
    return seconds < 1 && perSecond >= 0 ? perSecond : requested / Math.max(1, seconds);
  }
}
