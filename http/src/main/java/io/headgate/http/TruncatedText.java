package io.headgate.http;

import io.headgate.rule.Subject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Bounds values whose length clients choose, such as paths. A value that is too long for an
 * attribute keeps its beginning and ends in a SHA-256 hash of the whole. Rejecting it instead would
 * let its request pass every proxy that fails open.
 */
public final class TruncatedText {
  private static final String MARK = "#sha256:";
  private static final int HASH_LENGTH = 64;
  private static final int PREFIX_LENGTH = Subject.MAX_VALUE_LENGTH - 80;
  private static final int NAME_PREFIX_LENGTH =
      Subject.MAX_NAME_LENGTH - MARK.length() - HASH_LENGTH / 2;

  /**
   * Returns the value, or its truncated form if it is too long. A value that already has the
   * truncated form is hashed again, so that it does not share the counters of a longer value.
   */
  public static String of(String value) {
    if (value.length() <= Subject.MAX_VALUE_LENGTH
        && !isTruncated(value, PREFIX_LENGTH, HASH_LENGTH)) return value;
    return truncated(value);
  }

  /**
   * Returns the name of an attribute, truncated in the same way with half of the hash. A name that
   * already has the truncated form is hashed again, so that it does not replace the attribute of a
   * longer name.
   */
  public static String name(String name) {
    if (name.length() <= Subject.MAX_NAME_LENGTH
        && !isTruncated(name, NAME_PREFIX_LENGTH, HASH_LENGTH / 2)) {
      return name;
    }
    return prefix(name, NAME_PREFIX_LENGTH) + MARK + hash(name).substring(0, HASH_LENGTH / 2);
  }

  private static String truncated(String value) {
    return prefix(value, PREFIX_LENGTH) + MARK + hash(value);
  }

  private static boolean isTruncated(String text, int prefix, int hash) {
    int mark = text.length() - hash - MARK.length();
    return (mark == prefix || mark == prefix - 1) && text.startsWith(MARK, mark);
  }

  private static String prefix(String text, int length) {
    return text.substring(
        0, Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length);
  }

  private static String hash(String text) {
    try {
      var bytes = text.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private TruncatedText() {}
}
