package io.headgate.limit;

/**
 * The part of a capacity that is in use, in steps of 2^-20: the common currency in which one limit
 * takes over the history of another.
 *
 * <p>Rounds up, always: a change of limits may cost a caller a millionth, but never gives one away.
 * Both directions stay below 2^53 on the way, which a plain product would not.
 */
public final class Share {
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

  /** That share of another whole: {@code ceil(share * whole / ALL)}. */
  static long scale(long share, long whole) {
    long high = whole / ALL;
    long low = whole % ALL;
    return share * high + Math.ceilDiv(share * low, ALL);
  }

  private Share() {}
}
