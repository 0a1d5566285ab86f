package io.headgate.internal.consistency;

import io.headgate.limit.Holdable;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.store.ConsistencyOptions;

/**
 * Computes the sizes and durations of permit leases. A pure function of its arguments; times are in
 * microseconds.
 *
 * <p>A lease has enough permits for half of its duration at the current request rate. It is then
 * renewed before it expires, and few permits are held without being used. A counter with a low rate
 * gets no lease, since a lease that a single request uses up saves no round trip.
 */
final class LeaseSizing {
  private static final long MIN_LEASE = 200_000;
  private static final long MAX_LEASE = 30_000_000;
  private static final long MIN_PAUSE = 1_000;
  private static final long MAX_PAUSE = 500_000;
  private static final long MIN_PERMITS = 2;
  private static final double MIN_SCARCITY_FACTOR = 0.1;
  private static final long LONG_LEASE = 10_000_000;
  private static final long INITIAL_DIVISOR = 10; // of the maximum size

  private final int share;

  /** Creates the sizing for a share as in {@link ConsistencyOptions#share}. */
  LeaseSizing(int share) {
    this.share = share;
  }

  /**
   * Returns how many permits to hold; 0 for no lease.
   *
   * @param instances the number of instances that share the limit
   * @param perSecond the number of permits requested per second on this instance
   * @param left the number of permits left in the store at its last reply
   */
  long size(Holdable limit, int instances, double perSecond, long left) {
    long max = limit.capacity() / Math.max(share, 2L * instances);
    double demand =
        Math.ceil(perSecond * duration(limit) / 2_000_000 * scarcityFactor(limit, left));
    long size = (long) Math.min((double) max, demand);
    return size < MIN_PERMITS ? 0 : size;
  }

  /**
   * Returns how many permits to hold for a counter of unknown demand; 0 for no lease. A caller
   * often repeats its request within seconds, so if leases are that long, a few permits are held at
   * once, and most callers cause no further round trip. If leases are short, the permits would be
   * released before they are used.
   */
  long initialSize(Holdable limit, int instances) {
    if (duration(limit) < LONG_LEASE) return 0;
    long size = limit.capacity() / (INITIAL_DIVISOR * Math.max(share, 2L * instances));
    return size < MIN_PERMITS ? 0 : size;
  }

  /**
   * Returns the factor by which a lease is shortened if most of a sliding window is in use. A
   * permit that is held and spent late is unavailable for the time of the hold and then for the
   * whole window. A bucket repays a late charge at its usual rate, so it needs no correction.
   */
  private static double scarcityFactor(Holdable limit, long left) {
    return limit instanceof SlidingWindow
        ? Math.clamp(2.0 * left / limit.capacity(), MIN_SCARCITY_FACTOR, 1)
        : 1;
  }

  /** Returns the duration of a lease: half of the time in which the limit's permits come back. */
  static long duration(Holdable limit) {
    return Math.clamp(limit.window() / 2, MIN_LEASE, MAX_LEASE);
  }

  /**
   * Returns the number of unspent permits at which a lease of this size is renewed. Windows renew
   * earlier, since a report has to arrive within the window in which the permits were spent.
   * Buckets have no such deadline.
   */
  static long renewalThreshold(Holdable limit, long size) {
    return size / (limit instanceof TokenBucket ? 4 : 2);
  }

  /** Returns the time after which an unused lease is released. */
  static long idleTimeout(Holdable limit) {
    return duration(limit) / 4;
  }

  /**
   * Returns how long to wait before requesting permits of an exhausted limit again. Permits that
   * come back meanwhile accumulate in the store, and one request fetches them instead of ten. A
   * bucket loses nothing, as long as the pause is much shorter than its refill time. A window loses
   * the permits that are not used before it ends, so its pause is only a fiftieth of its length.
   */
  static long exhaustedPause(Holdable limit) {
    int divisor = limit instanceof TokenBucket ? 25 : 50;
    return Math.clamp(limit.window() / divisor, MIN_PAUSE, MAX_PAUSE);
  }
}
