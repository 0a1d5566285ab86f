package io.headgate.server.metrics;

import io.headgate.store.Budget;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Metrics of the internal budgets of this instance. Those with one name are added up. */
final class BudgetMetrics {
  private record Total(long used, long limit, long refused) {
    static Total of(Budget budget) {
      return new Total(budget.used(), budget.limit(), budget.refused());
    }

    Total plus(Total other) {
      return new Total(used + other.used, limit + other.limit, refused + other.refused);
    }
  }

  private BudgetMetrics() {}

  static void add(List<Budget> budgets, MetricSnapshots.Builder snapshots) {
    Map<String, Total> totals = new LinkedHashMap<>();
    for (var budget : budgets) totals.merge(budget.name(), Total.of(budget), Total::plus);
    var used =
        GaugeSnapshot.builder()
            .name("headgate_budget_used")
            .help("What is in use of an internal budget, such as connections or bytes.");
    var limit =
        GaugeSnapshot.builder()
            .name("headgate_budget_limit")
            .help("The highest use of an internal budget.");
    var refused =
        CounterSnapshot.builder()
            .name("headgate_budget_refused")
            .help("What was refused because an internal budget was used up.");
    totals.forEach((name, total) -> {
      var label = Labels.of("budget", name);
      used.dataPoint(point(label, total.used));
      limit.dataPoint(point(label, total.limit));
      refused.dataPoint(
          CounterDataPointSnapshot.builder().labels(label).value((double) total.refused).build());
    });
    snapshots
        .metricSnapshot(used.build())
        .metricSnapshot(limit.build())
        .metricSnapshot(refused.build());
  }

  private static GaugeDataPointSnapshot point(Labels label, long value) {
    return GaugeDataPointSnapshot.builder().labels(label).value((double) value).build();
  }
}
