package io.headgate.http;

import java.io.ByteArrayOutputStream;

/** Decodes percent-encoding (RFC 3986). Texts have one char per byte. */
final class PercentEncoding {
  /** Decodes each escape once. An escape without two hexadecimal digits is kept. */
  static byte[] decode(String text) {
    var out = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      int value = escaped(text, i);
      if (value >= 0) i += 2;
      out.write(value >= 0 ? value : text.charAt(i));
    }
    return out.toByteArray();
  }

  /** Decodes letters, digits and {@code -._~}, which mean the same in both forms. */
  static String decodeUnreserved(String text) {
    if (text.indexOf('%') < 0) return text;
    var out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      int value = escaped(text, i);
      boolean unreserved = value >= 0 && isUnreserved((char) value);
      out.append(unreserved ? (char) value : text.charAt(i));
      if (unreserved) i += 2;
    }
    return out.toString();
  }

  static boolean hasInvalidEscape(String text) {
    for (int i = text.indexOf('%'); i >= 0; i = text.indexOf('%', i + 1)) {
      if (escaped(text, i) < 0) return true;
    }
    return false;
  }

  /** Returns the byte of the escape at this position; -1 if there is none. */
  private static int escaped(String text, int at) {
    if (text.charAt(at) != '%' || at + 2 >= text.length()) return -1;
    int high = digit(text.charAt(at + 1));
    int low = digit(text.charAt(at + 2));
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }

  private static int digit(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1;
  }

  private static boolean isUnreserved(char c) {
    return (c >= '0' && c <= '9')
        || (c >= 'A' && c <= 'Z')
        || (c >= 'a' && c <= 'z')
        || c == '-'
        || c == '.'
        || c == '_'
        || c == '~';
  }

  private PercentEncoding() {}
}
