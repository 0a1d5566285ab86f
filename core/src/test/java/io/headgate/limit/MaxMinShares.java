package io.headgate.limit;

/**
 * The exact weighted max-min allocation of a rate among constant demands, by progressive filling in
 * rational numbers. Shares no code with {@link FairBucket}.
 */
final class MaxMinShares {
  /** A rational number of permits per second; the denominator is positive. */
  record Fraction(long numerator, long denominator) {
    double toDouble() {
      return (double) numerator / denominator;
    }
  }

  /**
   * Returns the allocation of each demand.
   *
   * @param rate permits per second
   * @param demands permits per second that each tenant requests
   */
  static Fraction[] of(long rate, int[] weights, long[] demands) {
    var satisfied = new boolean[demands.length];
    long left = rate;
    long weight = 0;
    for (int one : weights) weight += one;
    // Tenants whose demand is at most the level left / weight per weight get all of it, which
    // raises the level for the others.
    for (boolean raised = true; raised; ) {
      raised = false;
      for (int i = 0; i < demands.length; i++) {
        if (satisfied[i] || demands[i] * weight > left * weights[i]) continue;
        satisfied[i] = true;
        left -= demands[i];
        weight -= weights[i];
        raised = true;
      }
    }
    var shares = new Fraction[demands.length];
    for (int i = 0; i < demands.length; i++) {
      shares[i] =
          satisfied[i] ? new Fraction(demands[i], 1) : new Fraction(left * weights[i], weight);
    }
    return shares;
  }

  private MaxMinShares() {}
}
