package io.headgate.consistency;

import io.headgate.limit.Holdable;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;

/**
 * How many permits to hold, and for how long. Pure: numbers in, numbers out.
 *
 * <p>A slice is to last for half of its lease at the rate at which requests come, so that it is
 * renewed before it ends and little is held for nobody. Who comes seldom gets none: a slice that is
 * spent by one request saves nothing.
 */
final class LeaseSizing {
  private static final long SHORTEST_LEASE = 200_000;
  private static final long LONGEST_LEASE = 30_000_000;
  private static final long SHORTEST_PAUSE = 1_000;
  private static final long LONGEST_PAUSE = 500_000;
  private static final long SMALLEST = 2;
  private static final double SCARCE = 0.1;
  private static final long LONG_LEASE = 10_000_000;
  private static final long FEW = 10; // of what may be held at the most, one in so many

  private final int share;

  LeaseSizing(int share) {
    this.share = share;
  }

  /**
   * How many to hold.
   *
   * @param instances how many have a part of the limit
   * @param perSecond how many permits are asked for here
   * @param left how many the store had left when it was asked last
   */
  long want(Holdable limit, int instances, double perSecond, long left) {
    long most = limit.capacity() / Math.max(share, 2L * instances);
    double wish = Math.ceil(perSecond * lease(limit) / 2_000_000 * patience(limit, left));
    long want = (long) Math.min((double) most, wish);
    return want < SMALLEST ? 0 : want;
  }

  /**
   * How many to hold for somebody of whom nothing is known yet. Who comes once often comes again
   * within seconds, so where a lease is that long a few are held at once, and most callers are no
   * further question. Where it is short they would be given back before they are used.
   */
  long first(Holdable limit, int instances) {
    if (lease(limit) < LONG_LEASE) return 0;
    long want = limit.capacity() / (FEW * Math.max(share, 2L * instances));
    return want < SMALLEST ? 0 : want;
  }

  /**
   * The part of the usual time that a slice is to last. In a window that slides, a permit that was
   * held for a while is missing for that while and then for the whole window, so where most of the
   * limit is in use slices are short. A bucket repays what was charged late as fast as ever.
   */
  private static double patience(Holdable limit, long left) {
    return limit instanceof SlidingWindow
        ? Math.clamp(2.0 * left / limit.capacity(), SCARCE, 1)
        : 1;
  }

  /** Half of the time in which the limit comes back: by then others may need what is held here. */
  static long lease(Holdable limit) {
    return Math.clamp(limit.window() / 2, SHORTEST_LEASE, LONGEST_LEASE);
  }

  /**
   * How little of a slice is left when more is asked for. A window wants to hear soon what was
   * spent, so that it counts it in its time; a bucket has no such time.
   */
  static long low(Holdable limit, long slice) {
    return slice / (limit instanceof TokenBucket ? 4 : 2);
  }

  /** How long a slice that nobody uses is kept. */
  static long idle(Holdable limit) {
    return lease(limit) / 4;
  }

  /**
   * How long nothing is asked of a limit that had nothing left. What comes back meanwhile waits in
   * the store, and is then had with one question instead of ten. A bucket loses nothing by that, as
   * long as it is far less than it holds; a window loses what was not used, so it is left alone for
   * a fiftieth of its length only.
   */
  static long pause(Holdable limit) {
    int part = limit instanceof TokenBucket ? 25 : 50;
    return Math.clamp(limit.window() / part, SHORTEST_PAUSE, LONGEST_PAUSE);
  }
}
