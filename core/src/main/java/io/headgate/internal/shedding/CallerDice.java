package io.headgate.internal.shedding;

/**
 * Decides whether the requests of a caller are dropped. The decision is the same on every instance
 * and for a whole time slice, so that a retry gains nothing: a minute, or a second for a heavy
 * caller, since a caller with a large part of the traffic must not be dropped as a whole for long.
 *
 * <p>The slices of different callers begin at different times, so that dropped callers don't return
 * at the same moment.
 */
final class CallerDice {
  private static final long SLICE = 60_000_000;
  private static final long HEAVY_SLICE = 50_000;
  private static final long JITTER = 1_000_000;
  private static final int MAX_HEAVY_SLICES = 60;

  /**
   * Returns the time after which the caller may pass, in microseconds; 0 if it passes now.
   *
   * @param caller a keyed hash of the caller and the rule
   * @param share the share of the callers that is dropped, from 0 to 1
   * @param now the time of the store, in microseconds
   */
  static long waitOf(long caller, double share, long now, boolean heavy) {
    if (share <= 0) return 0;
    long slice = heavy && share < 1 ? HEAVY_SLICE : SLICE;
    long shifted = now + (caller >>> 8) % slice;
    long index = shifted / slice;
    if (unit(caller, index) >= share) return 0;
    long wait = slice - shifted % slice;
    for (int i = 1;
        slice == HEAVY_SLICE && i < MAX_HEAVY_SLICES && unit(caller, index + i) < share;
        i++) {
      wait += slice;
    }
    return wait + (mixed(caller ^ now) >>> 1) % JITTER;
  }

  /** Returns a number from 0 to below 1 that is uniform over callers and over slices. */
  private static double unit(long caller, long slice) {
    return (mixed(caller + slice * 0x9E3779B97F4A7C15L) >>> 11) * 0x1p-53;
  }

  /** The finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
  private static long mixed(long z) {
    long a = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    long b = (a ^ a >>> 27) * 0x94D049BB133111EBL;
    return b ^ b >>> 31;
  }

  private CallerDice() {}
}
