package io.headgate.redis.internal.connection;

import io.headgate.rule.Counter;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * What a counter is called in Redis, such as {@code headgate:{user:42}contract|calls}. A counter
 * apart for an override has the override's text behind a second {@code ||}, and no name has a bar.
 *
 * <p>What stands in braces chooses the slot in a cluster, so counters of the same subject share one
 * and can be charged together. Callers choose that text, but no slot by a brace of their own: what
 * is not plain is escaped, and a long text is replaced by its hash. Counters that everybody shares
 * have {@code *} there, which no escaped text has.
 */
public final class RedisKeys {
  private static final String EVERYBODY = "*";
  private static final int LONGEST_PLAIN = 96;
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private final String prefix;

  public RedisKeys(String prefix) {
    this.prefix = prefix;
  }

  public String of(Counter counter, String key) {
    String tagged = prefix + '{' + tag(key) + '}' + counter.rule();
    if (!counter.name().equals(counter.rule())) tagged += '|' + counter.name();
    return counter.override().isEmpty() ? tagged : tagged + "||" + counter.override();
  }

  /** The part of a key that chooses the slot. */
  public static String tag(String key) {
    if (key.isEmpty()) return EVERYBODY;
    if (key.length() > LONGEST_PLAIN) return '#' + hash(key);
    for (int i = 0; i < key.length(); i++) {
      if (!isPlain(key.charAt(i))) return escaped(key);
    }
    return key;
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "-_.:/@=,+".indexOf(c) >= 0;
  }

  private static String escaped(String key) {
    var text = new StringBuilder(key.length() + 16);
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (isPlain(c)) {
        text.append(c);
      } else {
        text.append(c < 256 ? '%' : '~');
        if (c >= 256) text.append(HEX[c >> 12]).append(HEX[c >> 8 & 15]);
        text.append(HEX[c >> 4 & 15]).append(HEX[c & 15]);
      }
    }
    return text.toString();
  }

  /** Of the characters as they are: any encoding would make one of all lone surrogates. */
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
