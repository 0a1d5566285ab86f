package io.headgate.http;

/** Writes integers as decimal ASCII digits into arrays, two digits at a time. */
public final class DecimalText {
  /** The longest text: 19 digits and a sign. */
  public static final int MAX_LENGTH = 20;

  private static final byte[] TENS = new byte[100];
  private static final byte[] ONES = new byte[100];
  private static final long[] NEGATIVE_POWERS = new long[MAX_LENGTH - 1]; // of ten

  static {
    NEGATIVE_POWERS[0] = -1;
    for (int i = 1; i < NEGATIVE_POWERS.length; i++) {
      NEGATIVE_POWERS[i] = 10 * NEGATIVE_POWERS[i - 1];
    }
    for (int i = 0; i < 100; i++) {
      TENS[i] = (byte) ('0' + i / 10);
      ONES[i] = (byte) ('0' + i % 10);
    }
  }

  /**
   * Writes a number.
   *
   * @param at the index of its first byte in {@code to}, which {@link #MAX_LENGTH} bytes follow
   * @return the index after its last byte
   */
  public static int write(long number, byte[] to, int at) {
    if (number >= 0 && number < 10) { // most times
      to[at] = (byte) ('0' + number);
      return at + 1;
    }
    int from = at;
    long rest = -number; // every long has a negative, and one has no positive
    if (number < 0) {
      to[from++] = '-';
      rest = number;
    }
    int end = from + digits(rest);
    int index = end;
    while (rest < Integer.MIN_VALUE) {
      long quotient = rest / 100;
      index = writePair((int) (quotient * 100 - rest), to, index);
      rest = quotient;
    }
    int small = (int) rest; // is divided faster
    while (small <= -10) {
      int quotient = small / 100;
      index = writePair(quotient * 100 - small, to, index);
      small = quotient;
    }
    if (index > from) to[from] = (byte) ('0' - small);
    return end;
  }

  private static int writePair(int pair, byte[] to, int end) {
    to[end - 1] = ONES[pair];
    to[end - 2] = TENS[pair];
    return end - 2;
  }

  /** Returns the number of digits of a number, which is given as its negative and is not 0. */
  private static int digits(long negative) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(~negative); // of the number less 1
    int logarithm = (bits * 1_233) >> 12; // 1233/4096 is about that of 2; may be one too high
    return negative <= NEGATIVE_POWERS[logarithm] ? logarithm + 1 : logarithm;
  }

  private DecimalText() {}
}
