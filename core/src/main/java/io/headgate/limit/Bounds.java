package io.headgate.limit;

import java.math.BigInteger;
import java.time.Duration;

/** Checks that numbers stay within 2^53, up to which Lua's doubles represent integers exactly. */
final class Bounds {
  static final long MAX = 1L << 53;

  /**
   * The most permits of a rate or a window: 2^52 - 1. A count plus the highest cost, which is one
   * more, is then exact, and no limit allows that cost.
   */
  static final long MAX_PERMITS = (1L << 52) - 1;

  /**
   * The longest duration of a limit: 100 years. Added to any time before the year 2155, it yields a
   * time in microseconds below {@link #MAX}.
   */
  static final Duration MAX_DURATION = Duration.ofDays(36_525);

  static void require(boolean ok, String message, Object... values) {
    if (!ok) throw new IllegalArgumentException(message.formatted(values));
  }

  /** Returns a product; throws {@link IllegalArgumentException} if it exceeds {@link #MAX}. */
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

  /** Requires a whole number of microseconds from 1 to {@link #MAX_DURATION}. */
  static void requireDuration(String what, Duration length) {
    require(
        !length.isNegative() && !length.isZero() && length.toNanosPart() % 1_000 == 0,
        "%s must be a positive number of whole microseconds, got %s",
        what,
        length);
    require(
        length.compareTo(MAX_DURATION) <= 0, "%s must be at most 100 years, got %s", what, length);
  }

  private Bounds() {}
}
