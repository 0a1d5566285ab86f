package io.headgate.server.metrics;

import io.headgate.server.quota.QuotaStats;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

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
                "headgate_quota_unassigned_requests",
                "Requests that proxies have admitted without an assignment.",
                stats.unassigned()))
        .metricSnapshot(
            counter(
                "headgate_quota_expired_permits",
                "Assigned permits that were charged because no report arrived in time.",
                stats.expired()));
  }

  private static CounterDataPointSnapshot point(String outcome, long value) {
    return CounterDataPointSnapshot.builder()
        .labels(Labels.of("outcome", outcome))
        .value((double) value)
        .build();
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
