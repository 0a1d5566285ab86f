package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Kind;
import io.headgate.server.anomaly.Anomaly.Severity;
import io.headgate.server.anomaly.AnomalyLog.Topic;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** Reports rules that drop requests to shed load. At most {@link #MAX_RULES} at a time. */
final class OverloadMonitor {
  private static final int MAX_RULES = 200;
  private static final int SECONDS_TO_END = 5;

  private final Map<String, Hysteresis> rules = new HashMap<>();

  /**
   * Processes one second.
   *
   * @param levels the share of the requests that each rule drops, if it is above 0
   */
  void step(long second, Map<String, Double> levels, AnomalyLog log) {
    if (levels.isEmpty() && rules.isEmpty()) return;
    var known = new HashSet<>(rules.keySet());
    known.addAll(levels.keySet());
    for (var rule : known) {
      if (!rules.containsKey(rule) && rules.size() >= MAX_RULES) continue;
      var open = rules.computeIfAbsent(rule, id -> new Hysteresis(1, SECONDS_TO_END));
      double level = levels.getOrDefault(rule, 0.0);
      if (!open.step(level > 0, level == 0)) continue;
      var topic = Topic.ofRule(Kind.OVERLOAD, rule);
      if (open.isOpen()) {
        log.open(topic, Severity.WARNING, second, level, OptionalDouble.of(0), text(rule, level));
      } else {
        log.end(topic, second);
        rules.remove(rule);
      }
    }
  }

  private static String text(String rule, double level) {
    return String.format(
        Locale.ROOT,
        "rule %s drops %.1f%% of the requests, because a backend reports overload",
        rule,
        level * 100);
  }
}
