package io.headgate.rule;

import org.jspecify.annotations.Nullable;

/**
 * An IP address as 128 bits, with one form for each address: {@code 10.0.0.1}, {@code
 * ::ffff:10.0.0.1} and {@code ::FFFF:A00:1} are equal. IPv4 is stored as IPv4-mapped IPv6.
 *
 * <p>Has its own parser because the JDK's may query a name server if the text is not an address.
 */
public record IpAddress(long high, long low) {
  private static final long V4_PREFIX = 0xffff_0000_0000L;

  /** The bits of an IPv6 address that {@link #counterValue} keeps. */
  static final int KEY_BITS = 64;

  /** Returns whether this is an IPv4 address, including those written as IPv4-mapped. */
  public boolean isV4() {
    return high == 0 && (low & ~0xffff_ffffL) == V4_PREFIX;
  }

  /**
   * Returns whether the first {@code bits} equal those of {@code other}.
   *
   * @param bits from 0 to 128
   */
  public boolean sharesPrefix(IpAddress other, int bits) {
    return prefix(bits).equals(other.prefix(bits));
  }

  /**
   * Returns the address with its first {@code bits} and zeros for the others.
   *
   * @param bits from 0 to 128
   */
  public IpAddress prefix(int bits) {
    return bits <= 64
        ? new IpAddress(high & mask(bits), 0)
        : new IpAddress(high, low & mask(bits - 64));
  }

  private static long mask(int bits) {
    return bits == 0 ? 0 : -1L << (64 - bits);
  }

  /**
   * Returns the value of the address in counter keys: an IPv4 address itself, the /64 network of an
   * IPv6 address, since a client is usually assigned a whole /64.
   */
  String counterValue() {
    if (isV4()) {
      return (low >>> 24 & 255)
          + "."
          + (low >>> 16 & 255)
          + "."
          + (low >>> 8 & 255)
          + "."
          + (low & 255);
    }
    return group(48) + ":" + group(32) + ":" + group(16) + ":" + group(0) + "::/64";
  }

  private String group(int shift) {
    return Long.toHexString(high >>> shift & 0xffff);
  }

  /**
   * Parses an address without port, brackets or zone. An IPv4 address has four decimal numbers
   * without leading zeros.
   *
   * @return null if the text is not an address
   */
  public static @Nullable IpAddress parse(String text) {
    int length = text.length();
    if (length < 2 || length > 45) return null;
    return text.indexOf(':') < 0 ? v4(text) : v6(text);
  }

  private static @Nullable IpAddress v4(String text) {
    long bits = v4Bits(text, 0);
    return bits < 0 ? null : new IpAddress(0, V4_PREFIX | bits);
  }

  /** Parses a dotted quad from {@code start} to the end of the text; returns -1 if it is none. */
  private static long v4Bits(String text, int start) {
    long bits = 0;
    int parts = 0;
    int value = -1;
    for (int i = start; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : '.';
      if (c == '.') {
        if (value < 0 || ++parts > 4) return -1;
        bits = bits << 8 | value;
        value = -1;
      } else if (c >= '0' && c <= '9') {
        if (value == 0) return -1; // leading zeros: some parsers read 010 as octal
        value = Math.max(value, 0) * 10 + (c - '0');
        if (value > 255) return -1;
      } else {
        return -1;
      }
    }
    return parts == 4 ? bits : -1;
  }

  private static @Nullable IpAddress v6(String text) {
    var groups = new int[8];
    int count = 0;
    int gap = -1;
    int i = 0;
    if (text.startsWith("::")) {
      gap = 0;
      i = 2;
    }
    while (i < text.length()) {
      int end = text.indexOf(':', i);
      if (end < 0) end = text.length();
      if (text.indexOf('.', i) >= 0 && end == text.length()) {
        long v4 = v4Bits(text, i);
        if (v4 < 0 || count > 6) return null;
        groups[count++] = (int) (v4 >>> 16);
        groups[count++] = (int) (v4 & 0xffff);
        break;
      }
      int group = hex(text, i, end);
      if (group < 0 || count == 8) return null;
      groups[count++] = group;
      if (end == text.length()) break;
      i = end + 1;
      if (i < text.length() && text.charAt(i) == ':') {
        if (gap >= 0) return null;
        gap = count;
        i++;
      } else if (i == text.length()) {
        return null;
      }
    }
    if (gap < 0 ? count != 8 : count > 7) return null;
    return assemble(groups, count, gap);
  }

  private static int hex(String text, int from, int to) {
    if (to == from || to - from > 4) return -1;
    int value = 0;
    for (int i = from; i < to; i++) {
      int digit = Character.digit(text.charAt(i), 16);
      if (digit < 0 || text.charAt(i) > 'f') return -1;
      value = value << 4 | digit;
    }
    return value;
  }

  private static IpAddress assemble(int[] groups, int count, int gap) {
    int zeros = 8 - count;
    long high = 0;
    long low = 0;
    for (int i = 0; i < 8; i++) {
      int source = gap < 0 || i < gap ? i : i - zeros;
      long group = gap >= 0 && i >= gap && i < gap + zeros ? 0 : groups[source];
      if (i < 4) high = high << 16 | group;
      else low = low << 16 | group;
    }
    return new IpAddress(high, low);
  }
}
