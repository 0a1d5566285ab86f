package io.headgate.rule;

import static java.nio.charset.StandardCharsets.UTF_16BE;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The conditions of a rule or override: every attribute listed must be there and match. */
public record Match(Map<String, Pattern> conditions) {
  /** Without padding in Base64; two of a million overrides are equal with a chance of 1e-10. */
  private static final int FINGERPRINT_BYTES = 9;

  public static final Match EVERYTHING = new Match(Map.of());

  public Match {
    conditions = Collections.unmodifiableMap(new LinkedHashMap<>(conditions));
  }

  public static Match of(String attribute, String pattern) {
    return EVERYTHING.and(attribute, pattern);
  }

  public Match and(String attribute, String pattern) {
    var more = new LinkedHashMap<>(conditions);
    var earlier = more.put(attribute, Pattern.parse(attribute, pattern));
    if (earlier != null) {
      throw new IllegalArgumentException(
          "there are two patterns for '%s', '%s' and '%s'; give a list if either will do"
              .formatted(attribute, earlier.text(), pattern));
    }
    return new Match(more);
  }

  /**
   * A short text that tells this match from others, whatever the order of its conditions and lists.
   * Counters are named after it, so it must never change for a match.
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
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Preceded by its length, so that several in a row can be read in one way only. */
  static String sized(String text) {
    return text.length() + ":" + text;
  }

  public boolean matches(Subject subject) {
    for (var condition : conditions.entrySet()) {
      String value = subject.find(condition.getKey());
      if (value == null || !condition.getValue().matches(value)) return false;
    }
    return true;
  }
}
