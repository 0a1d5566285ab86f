package io.headgate.server.metrics;

import io.headgate.rule.RuleSet;
import io.headgate.rule.UnusedCosts;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Counts requests with costs that no matching limit spends, for each rule that matches them. At
 * most {@value DecisionCounts#MAX_RULES} rules have a series; the series of a rule is removed when
 * the rule is no longer in force. Names of costs come from callers and are not a label.
 * Thread-safe.
 */
final class UnusedCostCounts implements Consumer<UnusedCosts> {
  private final Supplier<RuleSet> rules;
  private final LongAdder none = new LongAdder();
  private final LongAdder other = new LongAdder();
  private final Map<String, LongAdder> byRule = new ConcurrentHashMap<>();

  UnusedCostCounts(Supplier<RuleSet> rules) {
    this.rules = rules;
  }

  @Override
  public void accept(UnusedCosts unused) {
    if (unused.rules().isEmpty()) none.increment();
    for (var rule : unused.rules()) counter(rule).increment();
  }

  private LongAdder counter(String rule) {
    var known = byRule.get(rule);
    if (known != null) return known;
    return byRule.size() < DecisionCounts.MAX_RULES
        ? byRule.computeIfAbsent(rule, name -> new LongAdder())
        : other;
  }

  void addTo(MetricSnapshots.Builder snapshots) {
    var inForce = rules.get().rules().stream().map(rule -> rule.id()).collect(Collectors.toSet());
    byRule.keySet().retainAll(inForce);
    var counts =
        CounterSnapshot.builder()
            .name("headgate_unused_costs")
            .help("Requests with a cost that no matching limit spends, by each rule that matches.")
            .dataPoint(point(DecisionCounts.NONE, none));
    byRule.forEach((rule, count) -> counts.dataPoint(point(rule, count)));
    if (other.sum() > 0) counts.dataPoint(point(DecisionCounts.OTHER, other));
    snapshots.metricSnapshot(counts.build());
  }

  private static CounterDataPointSnapshot point(String rule, LongAdder count) {
    return CounterDataPointSnapshot.builder()
        .value((double) count.sum())
        .labels(Labels.of("rule", rule))
        .build();
  }
}
