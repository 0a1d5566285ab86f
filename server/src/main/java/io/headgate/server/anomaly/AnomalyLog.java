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
 * The anomalies that are open, one of a kind for each rule and caller, and those that ended within
 * the hour. Bounded: beyond that the oldest that ended go first, and no more are opened.
 */
final class AnomalyLog {
  static final int MOST = 500;
  static final long KEPT_SECONDS = 3_600;

  /** What there is at most one open anomaly of. */
  record Matter(Kind kind, String rule, String caller) {
    static Matter of(Kind kind) {
      return new Matter(kind, "", "");
    }

    static Matter ofRule(Kind kind, String rule) {
      return new Matter(kind, rule, "");
    }

    static Matter ofCaller(Kind kind, String caller) {
      return new Matter(kind, "", caller);
    }
  }

  private final Map<Matter, Anomaly> open = new LinkedHashMap<>();
  private final List<Anomaly> ended = new ArrayList<>(); // the oldest first
  private final List<Anomaly> changes = new ArrayList<>();
  private long lastId;

  void open(
      Matter matter,
      Severity severity,
      long second,
      double value,
      OptionalDouble usual,
      String text) {
    if (open.containsKey(matter) || open.size() >= MOST) return;
    var anomaly =
        new Anomaly(
            Long.toString(++lastId),
            matter.kind,
            severity,
            second * 1_000,
            OptionalLong.empty(),
            Optional.of(matter.rule).filter(rule -> !rule.isEmpty()),
            Optional.of(matter.caller).filter(caller -> !caller.isEmpty()),
            value,
            usual,
            text);
    open.put(matter, anomaly);
    changes.add(anomaly);
  }

  void end(Matter matter, long second) {
    var anomaly = open.remove(matter);
    if (anomaly == null) return;
    var over = anomaly.endedAt(second * 1_000);
    ended.add(over);
    changes.add(over);
    if (ended.size() + open.size() > MOST) ended.removeFirst();
  }

  void forget(long second) {
    ended.removeIf(over -> over.untilMillis().orElse(0) < (second - KEPT_SECONDS) * 1_000);
  }

  /** What has changed since this was asked last. */
  List<Anomaly> takeChanges() {
    if (changes.isEmpty()) return List.of();
    var taken = List.copyOf(changes);
    changes.clear();
    return taken;
  }

  /** The newest first. */
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
