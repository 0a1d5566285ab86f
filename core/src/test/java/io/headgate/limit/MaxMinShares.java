package io.headgate.limit;

import java.math.BigInteger;

/**
 * The exact weighted max-min allocation of a rate among constant demands, by progressive filling in
 * rational numbers. Shares no code with {@link FairBucket}.
 */
final class MaxMinShares {
  /** A rational number of permits per second; the denominator is positive. */
  record Fraction(BigInteger numerator, BigInteger denominator) {
    double toDouble() {
      return numerator.doubleValue() / denominator.doubleValue();
    }
  }

  /**
   * Returns the allocation of each demand.
   *
   * @param rate permits per second
   * @param demands permits per second that each tenant requests
   */
  static Fraction[] of(long rate, int[] weights, long[] demands) {
    var shares = new Fraction[demands.length];
    long left = rate;
    while (true) {
      long weight = 0;
      for (int i = 0; i < demands.length; i++) {
        if (shares[i] == null) weight += weights[i];
      }
      if (weight == 0) return shares;
      // Tenants whose demand is at most the level left / weight per weight get all of it.
      boolean satisfied = false;
      long given = 0;
      for (int i = 0; i < demands.length; i++) {
        if (shares[i] == null && demands[i] * weight <= left * weights[i]) {
          shares[i] = new Fraction(BigInteger.valueOf(demands[i]), BigInteger.ONE);
          given += demands[i];
          satisfied = true;
        }
      }
      left -= given;
      if (satisfied) continue;
      for (int i = 0; i < demands.length; i++) {
        if (shares[i] == null) {
          shares[i] =
              new Fraction(
                  BigInteger.valueOf(left).multiply(BigInteger.valueOf(weights[i])),
                  BigInteger.valueOf(weight));
        }
      }
      return shares;
    }
  }

  private MaxMinShares() {}
}
