package io.headgate.limit;

/**
 * Fixed-point fractions of a capacity with 20 fractional bits. One limit adopts the state of
 * another by the utilization of its capacity.
 *
 * <p>Conversions round up: a change of limits may cost a caller about a millionth of the capacity,
 * but never grants permits. Intermediate results don't overflow, as a plain product would.
 */
public final class Utilization {
  /** Nothing is used. */
  public static final long NONE = 0;

  /** The whole capacity is used. */
  public static final long ALL = 1L << 20;

  /** Returns {@code part / whole}, rounded up and at most {@link #ALL}, by binary long division. */
  static long of(long part, long whole) {
    if (part <= 0) return NONE;
    if (part >= whole) return ALL;
    long fraction = 0;
    long rest = part;
    for (int digit = 0; digit < 20; digit++) {
      rest *= 2;
      fraction *= 2;
      if (rest >= whole) {
        rest -= whole;
        fraction++;
      }
    }
    return rest > 0 ? fraction + 1 : fraction;
  }

  /**
   * Returns a fraction of a whole, rounded up. Does not round up again what {@link #of} has rounded
   * up; otherwise 1 of 3 would become 2 of 3 when only the window changes.
   */
  static long scale(long fraction, long whole) {
    if (fraction == NONE) return 0;
    return Math.max(floor(fraction, whole), floor(fraction - 1, whole) + 1);
  }

  /**
   * Converts a part of one whole to another, in proportion, rounded up, at most {@code whole}.
   *
   * @param of the whole that {@code part} belongs to
   */
  static long scale(long part, long of, long whole) {
    return scale(of(part, of), whole);
  }

  private static long floor(long fraction, long whole) {
    return fraction * (whole / ALL) + fraction * (whole % ALL) / ALL;
  }

  /** Returns one of {@code n} equal parts of a number, rounded down, at least 1. */
  static long partOf(int n, long whole) {
    Bounds.require(n >= 1, "a limit can be divided among 1 or more instances, got %d", n);
    return Math.max(1, whole / n);
  }

  /** Returns a part of a number, in thousandths and rounded down. */
  static long partOf(long whole, int permille) {
    Bounds.require(
        permille >= 0 && permille <= 1_000, "a part is 0 to 1000 thousandths, got %d", permille);
    return whole / 1_000 * permille + whole % 1_000 * permille / 1_000;
  }

  private Utilization() {}
}
