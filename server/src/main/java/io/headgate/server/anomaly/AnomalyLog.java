package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Kind;
import io.headgate.server.anomaly.Anomaly.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The open anomalies, at most one for each topic, and those that ended within the last hour.
 * Bounded to {@value #MAX_ANOMALIES}: the oldest ended ones are dropped first, then no more are
 * opened. Not thread-safe.
 */
final class AnomalyLog {
  static final int MAX_ANOMALIES = 500;
  static final long RETENTION_SECONDS = 3_600;

  /** A subject with at most one open anomaly. */
  record Topic(Kind kind, String rule, String caller) {
    static Topic of(Kind kind) {
      return new Topic(kind, "", "");
    }

    static Topic ofRule(Kind kind, String rule) {
      return new Topic(kind, rule, "");
    }

    static Topic ofCaller(Kind kind, String caller) {
      return new Topic(kind, "", caller);
    }
  }

  private final Map<Topic, Anomaly> open = new LinkedHashMap<>();
  private final List<Anomaly> ended = new ArrayList<>(); // oldest first
  private final List<Anomaly> changes = new ArrayList<>();
  private long lastId;

  void open(
      Topic topic,
      Severity severity,
      long second,
      double value,
      OptionalDouble usual,
      String text) {
    if (open.containsKey(topic) || open.size() >= MAX_ANOMALIES) return;
    var anomaly =
        new Anomaly(
            Long.toString(++lastId),
            topic.kind,
            severity,
            second * 1_000,
            OptionalLong.empty(),
            Optional.of(topic.rule).filter(rule -> !rule.isEmpty()),
            Optional.of(topic.caller).filter(caller -> !caller.isEmpty()),
            value,
            usual,
            text);
    open.put(topic, anomaly);
    changes.add(anomaly);
  }

  void end(Topic topic, long second) {
    var anomaly = open.remove(topic);
    if (anomaly == null) return;
    var closed = anomaly.endedAt(second * 1_000);
    ended.add(closed);
    changes.add(closed);
    if (ended.size() + open.size() > MAX_ANOMALIES) ended.removeFirst();
  }

  void expire(long second) {
    ended.removeIf(closed -> closed.untilMillis().orElse(0) < (second - RETENTION_SECONDS) * 1_000);
  }

  /** Returns and clears the changes since the last call. */
  List<Anomaly> takeChanges() {
    if (changes.isEmpty()) return List.of();
    var taken = List.copyOf(changes);
    changes.clear();
    return taken;
  }

  /** Returns all anomalies, newest first. */
  List<Anomaly> all() {
    var all = new ArrayList<>(ended);
    all.addAll(open.values());
    all.sort(
        Comparator.comparingLong(Anomaly::sinceMillis)
            .thenComparingLong(anomaly -> Long.parseLong(anomaly.id()))
            .reversed());
    return List.copyOf(all);
  }
}
