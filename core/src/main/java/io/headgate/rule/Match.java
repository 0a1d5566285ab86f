package io.headgate.rule;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The conditions of a rule or override: every attribute listed must be there and match. */
public record Match(Map<String, Pattern> conditions) {
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

  public boolean matches(Subject subject) {
    for (var condition : conditions.entrySet()) {
      String value = subject.find(condition.getKey());
      if (value == null || !condition.getValue().matches(value)) return false;
    }
    return true;
  }
}
