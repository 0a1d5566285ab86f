package io.headgate.server.metrics;

import io.headgate.redis.RegionReport;
import io.headgate.redis.RegionalStore;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Metrics of the shares of this instance and of home, computed when metrics are collected. */
final class RegionMetrics {
  static void addTo(MetricSnapshots.Builder snapshots, RegionalStore region) {
    var shares = region.shares();
    snapshots
        .metricSnapshot(
            gauge(
                "headgate_region_home_up",
                "1 while home grants shares, 0 while it is unreachable or waits.",
                region.isHomeReady() ? 1 : 0))
        .metricSnapshot(
            gauge(
                "headgate_region_home_seconds",
                "Time of the last answered request to home.",
                region.homeRoundTrip().toNanos() / 1e9))
        .metricSnapshot(
            gauge(
                "headgate_region_revision_lag",
                "Revisions of the rules by which this instance is behind the newest region.",
                revisionLag(region)))
        .metricSnapshot(
            counter(
                "headgate_region_home_requests",
                "Requests for shares sent to home.",
                region.homeRequests()))
        .metricSnapshot(
            counter(
                "headgate_region_home_errors",
                "Requests for shares that failed.",
                region.homeFailures()));
    add(
        snapshots,
        "headgate_region_held_permits",
        "Permits that this instance holds of the counters of a rule.",
        shares,
        RegionReport.Share::held);
    add(
        snapshots,
        "headgate_region_demand",
        "Permits a second that this instance requests from its shares of a rule.",
        shares,
        RegionReport.Share::demandPerSecond);
  }

  private static double revisionLag(RegionalStore region) {
    long own = region.revision();
    long newest = own;
    for (var report : region.reports()) newest = Math.max(newest, report.revision());
    return newest - own;
  }

  private static void add(
      MetricSnapshots.Builder snapshots,
      String name,
      String help,
      Map<String, RegionReport.Share> shares,
      ToDoubleFunction<RegionReport.Share> value) {
    if (shares.isEmpty()) return;
    var gauge = GaugeSnapshot.builder().name(name).help(help);
    shares.forEach((rule, share) ->
        gauge.dataPoint(
            GaugeDataPointSnapshot.builder()
                .labels(Labels.of("rule", rule))
                .value(value.applyAsDouble(share))
                .build()));
    snapshots.metricSnapshot(gauge.build());
  }

  private static GaugeSnapshot gauge(String name, String help, double value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value(value).build())
        .build();
  }

  private static CounterSnapshot counter(String name, String help, long value) {
    return CounterSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(CounterDataPointSnapshot.builder().value((double) value).build())
        .build();
  }

  private RegionMetrics() {}
}
