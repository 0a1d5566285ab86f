package io.headgate.internal.hash;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * Bounds the length of counter keys, which callers choose: a longer key is replaced by its
 * beginning, {@code #} and its SHA-256 hash. No caller can choose such a text, since it is longer
 * than any key that is kept as it is.
 */
public final class KeyDigest {
  /** The highest number of characters of a key that is kept as it is. */
  public static final int MAX_LENGTH = 128;

  private static final int HASH_LENGTH = 43;
  private static final int DIGEST_LENGTH = MAX_LENGTH + 1;
  private static final int BEGINNING = DIGEST_LENGTH - HASH_LENGTH - 1;

  private KeyDigest() {}

  /** Returns the key, or the text that replaces it if it is long. */
  public static String bounded(String key) {
    return key.length() <= MAX_LENGTH ? key : digest(key);
  }

  private static String digest(String key) {
    var text = new StringBuilder(DIGEST_LENGTH);
    for (int i = 0; i < BEGINNING; i++) {
      char c = key.charAt(i);
      text.append(c < 256 ? c : '?'); // one byte each in memory; the hash tells keys apart
    }
    return text.append('#').append(hash(key)).toString();
  }

  /** Returns the hash of a key, also from the text that replaces it. */
  public static String hashOf(String key) {
    return key.length() == DIGEST_LENGTH && key.charAt(BEGINNING) == '#'
        ? key.substring(BEGINNING + 1)
        : hash(key);
  }

  /** Hashes UTF-16 code units, since an encoding maps all lone surrogates to one character. */
  private static String hash(String key) {
    try {
      var bytes = ByteBuffer.allocate(key.length() * 2);
      for (int i = 0; i < key.length(); i++) bytes.putChar(key.charAt(i));
      var hash = MessageDigest.getInstance("SHA-256").digest(bytes.array());
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
