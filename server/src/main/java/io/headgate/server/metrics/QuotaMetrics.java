package io.headgate.server.metrics;

import io.headgate.server.quota.QuotaRuleStats;
import io.headgate.server.quota.QuotaStats;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;

/** Metrics of quota assignments. */
final class QuotaMetrics {
  private QuotaMetrics() {}

  static void add(QuotaStats stats, MetricSnapshots.Builder snapshots) {
    snapshots
        .metricSnapshot(
            gauge("headgate_quota_streams", "Open quota streams of proxies.", stats.streams()))
        .metricSnapshot(
            gauge("headgate_quota_buckets", "Quota buckets of all streams.", stats.buckets()))
        .metricSnapshot(
            gauge(
                "headgate_quota_outstanding_permits",
                "Permits that proxies may have spent without a report, or may still spend.",
                stats.outstanding()))
        .metricSnapshot(
            CounterSnapshot.builder()
                .name("headgate_quota_requests")
                .help("Requests that proxies have reported.")
                .dataPoint(point("allowed", stats.admitted()))
                .dataPoint(point("denied", stats.denied()))
                .build())
        .metricSnapshot(
            counter(
                "headgate_quota_clamped_requests",
                "Requests in reports beyond what a proxy can have admitted, which are not counted.",
                stats.clamped()))
        .metricSnapshot(
            counter(
                "headgate_quota_unassigned_requests",
                "Requests that proxies have admitted without an assignment.",
                stats.unassigned()))
        .metricSnapshot(
            counter(
                "headgate_quota_expired_permits",
                "Assigned permits that were charged because no report arrived in time.",
                stats.expired()));
    if (!stats.rules().isEmpty()) addRules(stats.rules(), snapshots);
  }

  private static void addRules(List<QuotaRuleStats> rules, MetricSnapshots.Builder snapshots) {
    var requests =
        CounterSnapshot.builder()
            .name("headgate_quota_rule_requests")
            .help("Requests that proxies have reported, for each rule that applies to them.");
    var assigned =
        GaugeSnapshot.builder()
            .name("headgate_quota_rule_assigned_permits")
            .help(
                "Permits of the rule that proxies may have spent without a report, or may spend.");
    var expired =
        CounterSnapshot.builder()
            .name("headgate_quota_rule_expired_permits")
            .help("Assigned permits of the rule that were charged because no report arrived.");
    for (var rule : rules) {
      var label = Labels.of("rule", rule.rule());
      requests
          .dataPoint(point(label.add("outcome", "allowed"), rule.admitted()))
          .dataPoint(point(label.add("outcome", "denied"), rule.denied()))
          .dataPoint(point(label.add("outcome", "would_deny"), rule.wouldDeny()));
      assigned.dataPoint(
          GaugeDataPointSnapshot.builder().labels(label).value((double) rule.assigned()).build());
      expired.dataPoint(point(label, rule.expired()));
    }
    snapshots
        .metricSnapshot(requests.build())
        .metricSnapshot(assigned.build())
        .metricSnapshot(expired.build());
  }

  private static CounterDataPointSnapshot point(String outcome, long value) {
    return point(Labels.of("outcome", outcome), value);
  }

  private static CounterDataPointSnapshot point(Labels labels, long value) {
    return CounterDataPointSnapshot.builder().labels(labels).value((double) value).build();
  }

  private static CounterSnapshot counter(String name, String help, long value) {
    return CounterSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(CounterDataPointSnapshot.builder().value((double) value).build())
        .build();
  }

  private static GaugeSnapshot gauge(String name, String help, long value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value((double) value).build())
        .build();
  }
}
