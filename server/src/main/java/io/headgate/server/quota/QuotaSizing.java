package io.headgate.server.quota;

/**
 * Decides how many permits an assignment has. A pure function of its arguments.
 *
 * <p>An assignment has enough permits for twice the time until the next one can arrive, at the
 * present request rate. It has no more than an equal part of the limit, so that many proxies find
 * permits left, and no less than an eighth of it, so that it can admit a burst.
 */
final class QuotaSizing {
  /** The largest number of tokens in Envoy's message. */
  static final long MAX_PERMITS = 0xFFFF_FFFFL;

  /** The part of an equal share that a proxy of unknown demand gets: until it reports again. */
  private static final long FIRST_DIVISOR = 2;

  /** The part of an equal share that a proxy without demand keeps. */
  private static final long LEAST_DIVISOR = 8;

  private static final double HEADROOM = 2;
  private static final double NANOS_PER_SECOND = 1e9;

  private QuotaSizing() {}

  /**
   * Returns the permits of a proxy that reports its first request.
   *
   * @param capacity the smallest capacity of the limits that apply
   * @param proxies the number of proxies that share the counter on this instance
   */
  static long first(long capacity, int proxies) {
    return Math.clamp(capacity / FIRST_DIVISOR / proxies, 1, MAX_PERMITS);
  }

  /**
   * Returns the permits of a proxy with a known request rate.
   *
   * @param perSecond the requests per second, denied ones included
   * @param interval the time between its reports, in nanoseconds
   * @param roundTrip see {@link QuotaSettings#roundTrip}
   */
  static long size(double perSecond, long interval, long roundTrip, long capacity, int proxies) {
    double seconds = Math.max(interval, roundTrip) / NANOS_PER_SECOND;
    double wanted = Math.ceil(HEADROOM * perSecond * seconds);
    long most = Math.clamp(capacity / proxies, 1, MAX_PERMITS);
    long least = Math.clamp(capacity / LEAST_DIVISOR / proxies, 1, most);
    return (long) Math.clamp(wanted, (double) least, (double) most);
  }

  /** Returns whether an assignment is to be replaced by one of {@code wanted} permits. */
  static boolean isDue(long outstanding, long wanted) {
    return isLow(outstanding, wanted) || outstanding > 4 * wanted;
  }

  /** Returns whether fewer than half of the wanted permits are left. */
  static boolean isLow(long outstanding, long wanted) {
    return 2 * outstanding < wanted;
  }
}
