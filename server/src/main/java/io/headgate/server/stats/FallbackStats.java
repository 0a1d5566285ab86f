package io.headgate.server.stats;

/**
 * The checks that failure policies decided in the current outage of the store. Single timeouts, for
 * example of a process without CPU, are an outage too.
 *
 * @param sinceMillis the begin of the first second of the outage, in milliseconds since the epoch
 * @param decided the number of checks that failure policies decided
 * @param uncounted those of them that were allowed without being counted
 */
public record FallbackStats(long sinceMillis, long decided, long uncounted) {
  /** The statistics without an outage. */
  public static final FallbackStats NONE = new FallbackStats(0, 0, 0);

  /** Returns whether there is an outage. */
  public boolean isOutage() {
    return !equals(NONE);
  }
}
