package io.headgate.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Decodes the bytes of a header to the text of an attribute. Every sequence of bytes is accepted.
 *
 * <p>UTF-8 is decoded as it is. A byte that does not belong to a well-formed UTF-8 sequence becomes
 * U+FFFD followed by the byte in two hexadecimal digits: {@code a}, {@code FF} becomes {@code
 * a\uFFFDFF}. The rest of the text stays readable, so that patterns match it. The mapping is
 * injective: a well-formed U+FFFD that two such digits follow is escaped byte by byte as well, so
 * no text equals the escaped form of another.
 *
 * <p>Rejecting such a value instead would let its request pass every proxy that fails open.
 */
public final class HeaderText {
  private static final char MARK = '\uFFFD';
  private static final String HEX = "0123456789ABCDEF";

  /** Decodes {@code bytes}, escaping each byte that is not UTF-8. */
  public static String of(byte[] bytes) {
    return escaped(bytes, false);
  }

  /** Decodes like {@link #of} and also escapes control characters. */
  public static String printable(byte[] bytes) {
    return escaped(bytes, true);
  }

  /**
   * Escapes control characters and unpaired surrogates of a text that was decoded elsewhere. A text
   * without them is returned unchanged.
   */
  public static String printable(String text) {
    return TextSyntax.flaw(text).isEmpty() ? text : escaped(encoded(text), true);
  }

  private static String escaped(byte[] bytes, boolean controls) {
    var out = new StringBuilder(bytes.length + 8);
    for (int at = 0; at < bytes.length; ) {
      int length = sequence(bytes, at);
      boolean escape =
          length == 0 || isEscape(bytes, at, length) || (controls && isControl(bytes, at, length));
      int end = at + Math.max(1, length);
      if (!escape && length == 1) {
        out.append((char) bytes[at]);
      } else if (!escape) {
        out.append(new String(bytes, at, length, StandardCharsets.UTF_8));
      } else {
        for (int i = at; i < end; i++) {
          out.append(MARK)
              .append(HEX.charAt((bytes[i] >> 4) & 15))
              .append(HEX.charAt(bytes[i] & 15));
        }
      }
      at = end;
    }
    return out.toString();
  }

  /**
   * Returns the length of the well-formed sequence that begins at {@code at}, or 0 if there is none
   * (Unicode 16, table 3-7).
   */
  private static int sequence(byte[] bytes, int at) {
    int first = bytes[at] & 0xff;
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    int length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (at + length > bytes.length) return 0;
    int second = bytes[at + 1] & 0xff;
    int lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    int highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (second < lowest || second > highest) return 0;
    for (int i = 2; i < length; i++) {
      if ((bytes[at + i] & 0xc0) != 0x80) return 0;
    }
    return length;
  }

  /** Returns whether this U+FFFD could be mistaken for the start of an escaped byte. */
  private static boolean isEscape(byte[] bytes, int at, int length) {
    return length == 3
        && bytes[at] == (byte) 0xef
        && bytes[at + 1] == (byte) 0xbf
        && bytes[at + 2] == (byte) 0xbd
        && at + 5 <= bytes.length
        && HEX.indexOf(bytes[at + 3]) >= 0
        && HEX.indexOf(bytes[at + 4]) >= 0;
  }

  private static boolean isControl(byte[] bytes, int at, int length) {
    int first = bytes[at] & 0xff;
    if (length == 1) return first < ' ' || first == 0x7f;
    return length == 2 && first == 0xc2 && (bytes[at + 1] & 0xff) < 0xa0;
  }

  /** Encodes as UTF-8, with an unpaired surrogate as the three bytes that are not a character. */
  private static byte[] encoded(String text) {
    var bytes = new ByteArrayOutputStream(text.length() + 8);
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      int next = i + Character.charCount(point);
      if (next == i + 1 && Character.isSurrogate((char) point)) {
        bytes.write(0xe0 | (point >> 12));
        bytes.write(0x80 | ((point >> 6) & 0x3f));
        bytes.write(0x80 | (point & 0x3f));
      } else {
        bytes.writeBytes(text.substring(i, next).getBytes(StandardCharsets.UTF_8));
      }
      i = next;
    }
    return bytes.toByteArray();
  }

  private HeaderText() {}
}
