package io.headgate.internal.script;

import io.headgate.internal.hash.KeyDigest;
import io.headgate.rule.Counter;

/**
 * Builds the Redis keys of counters, such as {@code headgate:{user:42}contract|calls}. A counter of
 * an override has the override's id after {@code ||}. Rule and limit names contain no bar.
 *
 * <p>The text in braces is the hash tag, which chooses the slot in a cluster. Counters with the
 * same counter key share a slot and can be charged atomically. Callers control this text, so
 * characters other than letters, digits and {@code -_.:/@=,+} are escaped and a text of more than
 * 96 characters is replaced by its SHA-256 hash: a caller cannot choose a slot with a brace of its
 * own. Counters that all subjects share have the tag {@code *}, which no escaped text equals.
 */
public final class CounterKeys {
  private static final String SHARED_TAG = "*";
  private static final int MAX_PLAIN_LENGTH = 96;
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private final String prefix;

  /** Creates a builder of keys with the given prefix. */
  public CounterKeys(String prefix) {
    this.prefix = prefix;
  }

  /** Returns the Redis key of a counter. */
  public String of(Counter counter, String key) {
    String tagged = prefix + '{' + tag(key) + '}' + counter.rule();
    if (!counter.name().equals(counter.rule())) tagged += '|' + counter.name();
    return counter.override().isEmpty() ? tagged : tagged + "||" + counter.override();
  }

  /**
   * Returns the Redis key of the record of a reservation, in the hash slot of one of its counters.
   * No counter has it, since every rule has a name.
   *
   * @param key the key of the counter
   * @param nonce identifies the reservation
   */
  public String ofReservation(String key, String nonce) {
    return prefix + '{' + tag(key) + "}|" + nonce;
  }

  /**
   * Returns the Redis key of the returns to a bucket, in the hash slot of its counter. It is that
   * of no reservation, whose nonce has no bar.
   */
  public String ofReturns(Counter counter, String key) {
    String name = of(counter, key);
    int end = name.indexOf('}', prefix.length()) + 1;
    return name.substring(0, end) + "||" + name.substring(end);
  }

  /** Returns whether a key is that of a reservation or of returns, and not of a counter. */
  public static boolean isOfReservation(String name) {
    return name.startsWith("|", name.indexOf('}') + 1);
  }

  /** Returns whether a key is that of returns to a bucket. */
  static boolean isOfReturns(String name) {
    return name.startsWith("||", name.indexOf('}') + 1);
  }

  /**
   * Returns whether a key without a prefix is that of a counter, or of a reservation or of returns
   * beside it. All of these begin with a hash tag; the list of reservations has a tag of its own.
   */
  public static boolean isOfCounter(String name) {
    return name.startsWith("{") && name.indexOf('}') > 0 && !name.startsWith("{*reservations}");
  }

  /** Returns the Redis key of the open reservations; no escaped text equals its hash tag. */
  public String ofOpenReservations() {
    return prefix + "{*reservations}open";
  }

  /** Returns the Redis key of the secret of reservations, in the slot of the open ones. */
  public String ofReservationSecret() {
    return prefix + "{*reservations}secret";
  }

  /** Returns the Redis key of the numbers of open reservations by subject, in the same slot. */
  public String ofReservationSubjects() {
    return prefix + "{*reservations}subjects";
  }

  /** Returns the hash tag of a counter's key. */
  public static String tag(String key) {
    if (key.isEmpty()) return SHARED_TAG;
    if (key.length() > MAX_PLAIN_LENGTH) return '#' + KeyDigest.hashOf(key);
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
}
