package io.headgate.internal.consistency;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Holdable;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.store.ConsistencyOptions;

/**
 * Computes the sizes and durations of permit leases. A pure function of its arguments; times are in
 * microseconds.
 *
 * <p>A lease has enough permits for its duration at the current request rate, so that one request
 * serves many checks. It has fewer if permits are scarce, because permits that one instance holds
 * are not available to others. A counter with a low rate gets no lease, since a lease that a single
 * request uses up saves no round trip.
 */
final class LeaseSizing {
  private static final long MIN_LEASE = 200_000;
  private static final long MAX_LEASE = 30_000_000;
  private static final long MIN_PAUSE = 1_000;
  private static final long MAX_FLEET_PAUSE = 500_000;
  private static final long MAX_PAUSE = 5_000_000;
  private static final int MAX_PAUSE_DOUBLINGS = 3;
  private static final long MIN_PERMITS = 2;
  private static final long MIN_INITIAL_PERMITS = 4;
  private static final double MIN_SCARCITY_FACTOR = 0.025;
  private static final int SCARCE_DIVISOR = 10; // of the capacity
  private static final long LONG_LEASE = 10_000_000;
  private static final long INITIAL_DIVISOR = 5; // of the maximum size
  private static final int FIRST_REPORT_DIVISOR = 64; // of the refill time

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
   * @param maxTime for how long the permits may last at this rate
   */
  long size(Holdable limit, int instances, double perSecond, long left, long maxTime) {
    long max = limit.capacity() / Math.max(share, 2L * instances);
    double time = Math.min((double) maxTime, duration(limit) * scarcityFactor(limit, left));
    long size = (long) Math.min((double) max, Math.ceil(perSecond * time / 1e6));
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
    return size < MIN_INITIAL_PERMITS ? 0 : size;
  }

  /**
   * Returns the factor by which a lease is shortened if most of a window is in use. Permits of a
   * window that are held and not spent are lost to the other instances when it ends. A bucket keeps
   * them, so it needs no correction.
   */
  private static double scarcityFactor(Holdable limit, long left) {
    return limit instanceof TokenBucket
        ? 1
        : Math.clamp((double) left / limit.capacity(), MIN_SCARCITY_FACTOR, 1);
  }

  /** Returns the duration of a lease: half of the time in which the limit's permits come back. */
  static long duration(Holdable limit) {
    return Math.clamp(limit.window() / 2, MIN_LEASE, MAX_LEASE);
  }

  /**
   * Returns the demand of all instances relative to the limit, if each has the demand of this one.
   * At more than 1 the limit will be exhausted.
   */
  static double utilization(Holdable limit, int instances, double perSecond) {
    return perSecond * instances * (limit.window() / 1e6) / limit.capacity();
  }

  /**
   * Returns how long the next lease may last, twice as long as the previous one. A bucket that is
   * full does not refill. If its first charges are reported late, the permits that would have come
   * back meanwhile are lost. The first leases of a bucket that will be exhausted are therefore
   * short, so that it soon has charges to repay.
   *
   * @param previous the result for the previous lease; 0 if there was none
   */
  static long maxTime(Holdable limit, double utilization, long previous) {
    if (!(limit instanceof TokenBucket) || utilization <= 1) return duration(limit);
    long next = previous == 0 ? limit.window() / FIRST_REPORT_DIVISOR : 2 * previous;
    return Math.min(next, duration(limit));
  }

  /**
   * Returns the number of unspent permits at which a lease of this size is renewed in the
   * background; -1 for never. Windows renew earlier, since a report has to arrive within the window
   * in which the permits were spent. If few permits are left in a window, the next check that finds
   * no permit requests more, and waits: permits that are requested in advance would be missing at
   * other instances.
   */
  static long renewalThreshold(Holdable limit, long size, long left) {
    if (limit instanceof TokenBucket) return size / 4;
    return left <= limit.capacity() / SCARCE_DIVISOR ? -1 : size / 2;
  }

  /** Returns how long before its end a lease is renewed. */
  static long renewalTime(Holdable limit) {
    return duration(limit) / 8;
  }

  /** Returns the time after which an unused lease is released. */
  static long idleTimeout(Holdable limit) {
    return duration(limit) / 4;
  }

  /**
   * Returns the end of the period in which a window counts permits that are charged at {@code now}:
   * a fixed window, or a bucket of a sliding window. {@link Long#MAX_VALUE} if there is none.
   */
  static long periodEnd(Holdable limit, long now) {
    return switch (limit) {
      case TokenBucket bucket -> Long.MAX_VALUE;
      case FixedWindow window -> window.alignment().endAfter(now);
      case SlidingWindow window -> (Math.floorDiv(now, period(window)) + 1) * period(window);
    };
  }

  /** Returns the length of the period of {@link #periodEnd}. */
  static long period(Holdable limit) {
    return limit instanceof SlidingWindow sliding
        ? sliding.window() / sliding.buckets()
        : limit.window();
  }

  /**
   * Returns how long to wait before requesting permits of an exhausted limit again. Permits that
   * come back meanwhile accumulate in the store, and one request fetches them instead of ten.
   *
   * <p>A bucket loses nothing, as long as the pause is much shorter than its refill time. A window
   * loses the permits that are not used before it ends, so its pause is a fourth of that. The pause
   * grows with the number of instances, because a request of any of them fetches the permits. The
   * permits of a fixed window do not come back before it ends, except those that instances return,
   * so its pause doubles with each request in vain.
   *
   * @param refusals the number of requests in vain before this one
   */
  static long exhaustedPause(Holdable limit, int instances, int refusals) {
    int divisor = limit instanceof TokenBucket ? 25 : 100;
    long max = Math.min(MAX_PAUSE, instances * MAX_FLEET_PAUSE);
    long pause = Math.clamp(limit.window() / divisor, MIN_PAUSE, max);
    return limit instanceof FixedWindow ? pause << Math.min(refusals, MAX_PAUSE_DOUBLINGS) : pause;
  }
}
