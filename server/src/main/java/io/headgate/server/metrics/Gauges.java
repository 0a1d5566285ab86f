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

/** How things stand at the moment that somebody asks. */
final class Gauges {
  private final RateLimiter limiter;
  private final RuleRepository book;
  private final IntSupplier connections;
  private final InfoSnapshot build;

  Gauges(RateLimiter limiter, RuleRepository book, IntSupplier connections) {
    this.limiter = limiter;
    this.book = book;
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
            .help("What runs here.")
            .dataPoint(InfoDataPointSnapshot.builder().labels(labels).build())
            .build();
  }

  /** May wait for the store, as long as its deadline. */
  void addTo(MetricSnapshots.Builder snapshots) {
    var store = new StoreView(limiter.store());
    var edition = book.inForce();
    snapshots
        .metricSnapshot(build)
        .metricSnapshot(
            gauge(
                "headgate_breaker_state",
                "1 while the store is given up and rules' policies decide, else 0.",
                store.isUnavailable() ? 1 : 0))
        .metricSnapshot(
            gauge(
                "headgate_tracked_keys",
                "Counters that have a state; with Redis all keys of its database.",
                limiter.store().trackedKeys()))
        .metricSnapshot(
            gauge(
                "headgate_instances",
                "Instances that share the store, as far as this one has seen.",
                store.instances()))
        .metricSnapshot(
            gauge("headgate_rules_revision", "The revision in force here.", edition.number()))
        .metricSnapshot(gauge("headgate_rules", "Rules in force.", edition.rules().rules().size()))
        .metricSnapshot(
            gauge(
                "headgate_rules_away",
                "1 while the place where rules are kept can't be asked, else 0.",
                book.condition().problem().isPresent() ? 1 : 0))
        .metricSnapshot(
            gauge("headgate_connections", "Connections of clients.", connections.getAsInt()));
  }

  private static GaugeSnapshot gauge(String name, String help, long value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value((double) value).build())
        .build();
  }
}
