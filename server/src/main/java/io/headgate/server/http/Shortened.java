package io.headgate.server.http;

import io.headgate.rule.Subject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Values that callers make as long as they like, such as paths. One that is too long to be an
 * attribute ends in a hash of the whole: refused, it would not be counted by whoever lets pass what
 * can't be decided.
 */
public final class Shortened {
  private static final int KEPT = Subject.LONGEST_VALUE - 80;

  public static String of(String value) {
    if (value.length() <= Subject.LONGEST_VALUE) return value;
    int end = Character.isHighSurrogate(value.charAt(KEPT - 1)) ? KEPT - 1 : KEPT;
    return value.substring(0, end) + "#sha256:" + hash(value);
  }

  private static String hash(String text) {
    try {
      var bytes = text.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private Shortened() {}
}
