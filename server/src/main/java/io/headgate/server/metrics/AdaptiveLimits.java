package io.headgate.server.metrics;

import io.headgate.CheckResult;
import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.stats.DecisionListener;
import io.headgate.store.Source;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The present values of adaptive limits, as the last decision of this instance reported them.
 *
 * <p>Only rules that have one counter for all subjects and no overrides have a series, at most
 * {@value DecisionCounts#MAX_RULES} of them. A rule with a counter for each subject would need the
 * subject as a label. Thread-safe.
 */
final class AdaptiveLimits implements DecisionListener {
  private record Name(String rule, String limit) {}

  private record Eligible(RuleSet rules, Set<String> ids) {}

  private final Supplier<RuleSet> rules;
  private final Map<Name, Long> values = new ConcurrentHashMap<>();
  private volatile Eligible eligible = new Eligible(RuleSet.of(), Set.of());

  /**
   * Creates an empty set of gauges.
   *
   * @param rules supplies the rules in force
   */
  AdaptiveLimits(Supplier<RuleSet> rules) {
    this.rules = rules;
  }

  @Override
  public void decided(Request request, CheckResult result, long nanos) {
    var ids = eligible();
    if (ids.isEmpty() || result.source() != Source.STORE) return;
    for (var report : result.limits()) {
      if (report.range().isEmpty() || !report.per().isEmpty()) continue;
      if (!ids.contains(report.rule())) continue;
      var name = new Name(report.rule(), report.name());
      Long value = report.limit();
      if (!value.equals(values.get(name))) values.put(name, value);
    }
  }

  /** Returns the ids of the rules with a series, which change with the rules only. */
  private Set<String> eligible() {
    var current = rules.get();
    var known = eligible;
    if (known.rules.equals(current)) return known.ids;
    var ids = new HashSet<String>();
    for (var rule : current.rules()) {
      if (ids.size() < DecisionCounts.MAX_RULES && isEligible(rule)) ids.add(rule.id());
    }
    values.keySet().removeIf(name -> !ids.contains(name.rule));
    eligible = new Eligible(current, Set.copyOf(ids));
    return ids;
  }

  private static boolean isEligible(Rule rule) {
    return rule.overrides().isEmpty()
        && rule.limits().stream().anyMatch(limit -> limit.limit() instanceof AdaptiveConcurrency);
  }

  /** Adds the values to a collection of metrics. */
  void addTo(MetricSnapshots.Builder snapshots) {
    eligible();
    var gauge =
        GaugeSnapshot.builder()
            .name("headgate_adaptive_limit")
            .help("Slots of adaptive limits with one counter, at the last decision.");
    values.forEach((name, value) ->
        gauge.dataPoint(
            GaugeDataPointSnapshot.builder()
                .value((double) value)
                .labels(Labels.of("rule", name.rule, "limit", name.limit))
                .build()));
    snapshots.metricSnapshot(gauge.build());
  }
}
