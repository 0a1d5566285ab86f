package io.headgate.server.stats;

/**
 * Adds up the decisions of failure policies over an outage. An outage ends after {@value
 * #QUIET_SECONDS} seconds in which the store was available and decided every check, so that a store
 * that fails repeatedly has one outage. Not thread-safe.
 */
final class FallbackCounter {
  static final int QUIET_SECONDS = 30;

  private FallbackStats outage = FallbackStats.NONE;
  private long lastSecond;

  /**
   * Adds one second.
   *
   * @param unavailable whether the circuit breaker is open
   * @param decided the number of checks that failure policies decided
   * @param uncounted those of them that were allowed without being counted
   */
  FallbackStats add(long second, boolean unavailable, long decided, long uncounted) {
    if (unavailable || decided > 0) {
      lastSecond = second;
      long since = outage.isOutage() ? outage.sinceMillis() : second * 1_000;
      outage = new FallbackStats(since, outage.decided() + decided, outage.uncounted() + uncounted);
    } else if (second - lastSecond >= QUIET_SECONDS) {
      outage = FallbackStats.NONE;
    }
    return outage;
  }
}
