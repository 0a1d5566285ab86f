package io.headgate.load;

import java.util.Arrays;

/**
 * Divides a drop level among the priorities of the traffic: the share of the requests of each
 * priority to drop, for its heavy callers and for the others.
 *
 * <p>The lowest priority is dropped first, its heavy callers before the others. A priority is
 * dropped only if every lower one is dropped except for its guarantee. Immutable.
 */
public final class DropShares {
  private final double[] heavy;
  private final double[] other;

  private DropShares(int priorities) {
    this.heavy = new double[priorities];
    this.other = new double[priorities];
  }

  /** Returns the shares for a level of 0. */
  public static DropShares none(int priorities) {
    return new DropShares(priorities);
  }

  /**
   * Computes the shares. Without any requests, all priorities count as equally frequent.
   *
   * @param level the share of all requests to drop
   * @param heavyRate the requests of heavy callers by priority, per any unit of time; the first
   *     priority is dropped last
   * @param otherRate the other requests by priority, per the same unit
   * @param guarantees by priority the share of the capacity that is not dropped
   * @param capacity the requests that the backend can process, per the same unit
   */
  public static DropShares of(
      double level, double[] heavyRate, double[] otherRate, double[] guarantees, double capacity) {
    int count = heavyRate.length;
    var shares = new DropShares(count);
    double total = 0;
    for (int i = 0; i < count; i++) total += heavyRate[i] + otherRate[i];
    if (total == 0 && level > 0) return of(level, heavyRate, ones(count), guarantees, 0);
    double left = total * level;
    int highest = count; // the highest priority that is dropped
    for (int i = count - 1; i >= 0 && left > 0; i--) {
      double offered = heavyRate[i] + otherRate[i];
      double dropped = Math.min(left, Math.max(0, offered - guarantees[i] * capacity));
      if (dropped <= 0) continue;
      left -= dropped;
      highest = i;
      double first = Math.min(dropped, heavyRate[i]);
      shares.other[i] = share(dropped - first, otherRate[i]);
      shares.heavy[i] = shares.other[i] > 0 ? 1 : share(first, heavyRate[i]);
    }
    // Requests of a priority that had none so far must not pass while those of a higher one don't.
    for (int i = highest + 1; i < count; i++) {
      if (guarantees[i] > 0) continue;
      shares.heavy[i] = 1;
      shares.other[i] = 1;
    }
    return shares;
  }

  private static double[] ones(int count) {
    var ones = new double[count];
    Arrays.fill(ones, 1);
    return ones;
  }

  private static double share(double part, double whole) {
    return whole <= 0 ? 0 : Math.min(1, part / whole);
  }

  /**
   * Returns the share of the requests to drop, from 0 to 1.
   *
   * @param priority the index of the priority; 0 is dropped last
   * @param isHeavy whether the caller is one of those with the most requests
   */
  public double of(int priority, boolean isHeavy) {
    return isHeavy ? heavy[priority] : other[priority];
  }

  /** Returns the share of a priority's requests to drop, for its callers other than the heavy. */
  public double of(int priority) {
    return other[priority];
  }
}
