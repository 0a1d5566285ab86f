package io.headgate.rule;

import static java.nio.charset.StandardCharsets.UTF_16BE;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a rule or override. A subject matches if the value of every listed attribute
 * matches its pattern. An absent attribute matches only if the {@linkplain Pattern#matchesAbsent
 * pattern does so}.
 */
public record Match(Map<String, Pattern> conditions) {
  /**
   * 72 bits: needs no padding in Base64, and two of a million overrides collide with a probability
   * of 1e-10.
   */
  private static final int FINGERPRINT_BYTES = 9;

  /** Matches every subject. */
  public static final Match EVERYTHING = new Match(Map.of());

  /** Copies the conditions, in their order. */
  public Match {
    conditions = Collections.unmodifiableMap(new LinkedHashMap<>(conditions));
  }

  /** Creates a match of one condition; see {@link Pattern#parse}. */
  public static Match of(String attribute, String pattern) {
    return EVERYTHING.and(attribute, pattern);
  }

  /**
   * Returns a match with one more condition.
   *
   * @throws IllegalArgumentException if there is a condition for the attribute already
   */
  public Match and(String attribute, String pattern) {
    var more = new LinkedHashMap<>(conditions);
    var earlier = more.put(attribute, Pattern.parse(attribute, pattern));
    if (earlier != null) {
      throw new IllegalArgumentException(
          "there are two patterns for '%s', '%s' and '%s'; use a list to match either"
              .formatted(attribute, earlier.text(), pattern));
    }
    return new Match(more);
  }

  /**
   * Returns a short text that identifies this match, independent of the order of its conditions and
   * lists. It is part of counter keys, so the result for a given match must never change.
   */
  String fingerprint() {
    var text = new StringBuilder();
    conditions.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(condition ->
            text.append(sized(condition.getKey())).append(sized(condition.getValue().canonical())));
    try {
      var hash = MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(UTF_16BE));
      return Base64.getUrlEncoder().encodeToString(Arrays.copyOf(hash, FINGERPRINT_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the JDK does not provide SHA-256", e);
    }
  }

  /** Returns the text preceded by its length, so that a sequence of texts is unambiguous. */
  static String sized(String text) {
    return text.length() + ":" + text;
  }

  /** Returns whether the subject meets every condition. */
  public boolean matches(Subject subject) {
    for (var condition : conditions.entrySet()) {
      if (!matches(condition.getValue(), subject.find(condition.getKey()))) return false;
    }
    return true;
  }

  /** Returns whether a value matches; null for an absent attribute. */
  static boolean matches(Pattern pattern, @Nullable String value) {
    return value == null ? pattern.matchesAbsent() : pattern.matches(value);
  }
}
