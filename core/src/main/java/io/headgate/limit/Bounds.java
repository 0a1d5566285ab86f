package io.headgate.limit;

import java.math.BigInteger;
import java.time.Duration;

/** The bounds within which Java's longs and Lua's doubles hold the same integers. */
final class Bounds {
  static final long MAX = 1L << 53;

  /** From any time until the year 2155, this long after can still be written. */
  static final Duration LONGEST = Duration.ofDays(36_525);

  static void require(boolean ok, String message, Object... values) {
    if (!ok) throw new IllegalArgumentException(message.formatted(values));
  }

  /** A product that is checked rather than wrapped; {@code message} takes its values. */
  static long product(long a, long b, String message, Object... values) {
    long high = Math.multiplyHigh(a, b);
    long low = a * b;
    require(high == 0 && low >= 0 && low <= MAX, message, values);
    return low;
  }

  static long gcd(long a, long b) {
    return BigInteger.valueOf(a).gcd(BigInteger.valueOf(b)).longValueExact();
  }

  static long micros(Duration length) {
    return length.getSeconds() * 1_000_000 + length.getNano() / 1_000;
  }

  /**
   * Whole microseconds, at least one, at most what fits: a length of time that limits can count.
   */
  static void requireLength(String what, Duration length) {
    require(
        !length.isNegative() && !length.isZero() && length.toNanosPart() % 1_000 == 0,
        "%s must be a positive number of whole microseconds, got %s",
        what,
        length);
    require(length.compareTo(LONGEST) <= 0, "%s must be at most 100 years, got %s", what, length);
  }

  private Bounds() {}
}
