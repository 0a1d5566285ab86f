package io.headgate.limit;

/**
 * The part of a capacity that is in use, in steps of 2^-20: the common currency in which one limit
 * takes over the history of another.
 *
 * <p>Rounds up: a change of limits may cost a caller a millionth, but gives nothing back. Both
 * directions stay exact on the way, which a plain product would not.
 */
public final class Utilization {
  public static final long NONE = 0;
  public static final long ALL = 1L << 20;

  /** {@code part} of {@code whole}, by long division: one binary digit a turn. */
  static long of(long part, long whole) {
    if (part <= 0) return NONE;
    if (part >= whole) return ALL;
    long share = 0;
    long rest = part;
    for (int digit = 0; digit < 20; digit++) {
      rest *= 2;
      share *= 2;
      if (rest >= whole) {
        rest -= whole;
        share++;
      }
    }
    return rest > 0 ? share + 1 : share;
  }

  /**
   * That share of another whole, also rounded up; but what {@link #of} has rounded up already is
   * not rounded up again, or 1 of 3 would become 2 of 3 where only the window changes.
   */
  static long scale(long share, long whole) {
    if (share == NONE) return 0;
    return Math.max(floor(share, whole), floor(share - 1, whole) + 1);
  }

  /**
   * What {@code part} of one whole comes to in another: in proportion, rounded up, at most all.
   *
   * @param of the whole that the part is of
   */
  static long scale(long part, long of, long whole) {
    return scale(of(part, of), whole);
  }

  private static long floor(long share, long whole) {
    return share * (whole / ALL) + share * (whole % ALL) / ALL;
  }

  /** One of {@code n} equal parts of a number; at least 1. */
  static long among(int n, long whole) {
    Bounds.require(n >= 1, "a limit can be shared among 1 instance or more, got %d", n);
    return Math.max(1, whole / n);
  }

  private Utilization() {}
}
