package io.headgate.server.metrics;

import io.headgate.RateLimiter;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.store.StoreView;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.function.IntSupplier;

/** Gauges, computed when metrics are collected. */
final class Gauges {
  private final RateLimiter limiter;
  private final RuleRepository repository;
  private final IntSupplier connections;
  private final InfoSnapshot build;

  Gauges(RateLimiter limiter, RuleRepository repository, IntSupplier connections) {
    this.limiter = limiter;
    this.repository = repository;
    this.connections = connections;
    String version = Gauges.class.getPackage().getImplementationVersion();
    var labels =
        Labels.of(
            "version",
            version == null ? "unpackaged" : version,
            "java",
            Runtime.version().toString(),
            "store",
            new StoreView(limiter.store()).kind());
    this.build =
        InfoSnapshot.builder()
            .name("headgate_build")
            .help("Version, Java runtime and store of this instance.")
            .dataPoint(InfoDataPointSnapshot.builder().labels(labels).build())
            .build();
  }

  /** Adds the current values. */
  void addTo(MetricSnapshots.Builder snapshots) {
    var store = new StoreView(limiter.store());
    var snapshot = repository.inForce();
    snapshots
        .metricSnapshot(build)
        .metricSnapshot(
            gauge(
                "headgate_breaker_state",
                "1 while the circuit breaker is open and failure policies decide, else 0.",
                store.isUnavailable() ? 1 : 0))
        .metricSnapshot(
            gauge(
                "headgate_instances",
                "Instances that share the store, as seen by this one.",
                store.instances()))
        .metricSnapshot(
            gauge(
                "headgate_rules_revision",
                "Revision of the rules in force on this instance.",
                snapshot.number()))
        .metricSnapshot(gauge("headgate_rules", "Rules in force.", snapshot.rules().rules().size()))
        .metricSnapshot(
            gauge(
                "headgate_rules_unavailable",
                "1 while the rule repository is unavailable, else 0.",
                repository.condition().problem().isPresent() ? 1 : 0))
        .metricSnapshot(
            gauge("headgate_connections", "Open client connections.", connections.getAsInt()));
    store
        .trackedKeys()
        .ifPresent(keys ->
            snapshots.metricSnapshot(
                gauge("headgate_tracked_keys", "Counters in the memory store.", keys)));
  }

  private static GaugeSnapshot gauge(String name, String help, long value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value((double) value).build())
        .build();
  }
}
