package io.headgate.limit;

/**
 * The weight and the number of some tenants in one number, {@code 2,048 * weight + number}. Sums
 * are added and subtracted as numbers.
 */
final class FairSum {
  private static final int BITS = 11;

  /** Returns the sum of one tenant. */
  static long of(int weight) {
    return ((long) weight << BITS) + 1;
  }

  static long weight(long sum) {
    return sum >> BITS;
  }

  static int count(long sum) {
    return (int) (sum & (1 << BITS) - 1);
  }

  private FairSum() {}
}
