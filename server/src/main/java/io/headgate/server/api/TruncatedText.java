package io.headgate.server.api;

import io.headgate.rule.Subject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Bounds values whose length callers choose, such as paths. One that is too long for an attribute
 * keeps its beginning and ends in a hash of the whole. Rejecting it instead would let its request
 * pass every proxy that fails open.
 */
public final class TruncatedText {
  private static final String MARK = "#sha256:";
  private static final int HASH = 64;
  private static final int KEPT = Subject.LONGEST_VALUE - 80;
  private static final int KEPT_OF_NAME = Subject.LONGEST_NAME - MARK.length() - HASH / 2;

  /**
   * Returns the value itself, or the bounded form of one that is too long. A value that has the
   * bounded form already is hashed once more, so that no value has the counters of a longer one.
   */
  public static String of(String value) {
    if (value.length() <= Subject.LONGEST_VALUE && !isShortened(value, KEPT, HASH)) return value;
    return shortened(value);
  }

  /** As {@link #of}, but leaves the bounded form alone: it is what is shown of a long value. */
  static String lenient(String value) {
    return value.length() <= Subject.LONGEST_VALUE ? value : shortened(value);
  }

  /**
   * Returns the name of an attribute, bounded in the same way, with half of the hash. A name that
   * has the bounded form already is hashed once more, so that it does not replace the attribute of
   * a longer name.
   */
  public static String name(String name) {
    if (name.length() <= Subject.LONGEST_NAME && !isShortened(name, KEPT_OF_NAME, HASH / 2)) {
      return name;
    }
    return kept(name, KEPT_OF_NAME) + MARK + hash(name).substring(0, HASH / 2);
  }

  private static String shortened(String value) {
    return kept(value, KEPT) + MARK + hash(value);
  }

  private static boolean isShortened(String text, int kept, int hash) {
    int mark = text.length() - hash - MARK.length();
    return (mark == kept || mark == kept - 1) && text.startsWith(MARK, mark);
  }

  private static String kept(String text, int length) {
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
