package io.headgate.server.metrics;

import io.headgate.RateLimiter;
import io.headgate.cluster.ClusterStatus;
import io.headgate.limit.Tuning;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.store.StoreView;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Map;
import java.util.TreeMap;
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
    addLevels(snapshots);
    store.cluster().ifPresent(cluster -> addCluster(snapshots, cluster));
    store.region().ifPresent(region -> RegionMetrics.addTo(snapshots, region));
    store
        .trackedKeys()
        .ifPresent(keys ->
            snapshots.metricSnapshot(
                gauge("headgate_tracked_keys", "Counters in the memory store.", keys)));
  }

  private static void addCluster(MetricSnapshots.Builder snapshots, ClusterStatus cluster) {
    int owned = 0;
    for (var member : cluster.members()) owned += member.self() ? member.owned() : 0;
    snapshots
        .metricSnapshot(
            gauge(
                "headgate_cluster_majority",
                "1 while the members that this one sees may decide, else 0.",
                cluster.majority() ? 1 : 0))
        .metricSnapshot(
            gauge(
                "headgate_cluster_expected_members",
                "Members that a majority is counted of.",
                cluster.expected()))
        .metricSnapshot(
            gauge("headgate_cluster_owned_partitions", "Partitions this member owns.", owned))
        .metricSnapshot(
            gauge(
                "headgate_cluster_unreachable_members",
                "Members that this one can't reach and that still count for the majority.",
                cluster.unreachable().size()))
        .metricSnapshot(
            gauge(
                "headgate_cluster_unowned_partitions",
                "Partitions without an owner.",
                cluster.unowned()))
        .metricSnapshot(
            gauge(
                "headgate_cluster_unbacked_partitions",
                "Partitions without a copy at another member.",
                cluster.unbacked()));
  }

  /**
   * Adds the highest level of each rule that sheds load, and the lowest rate of each rule whose
   * rate follows a signal, among the backends in use.
   */
  private void addLevels(MetricSnapshots.Builder snapshots) {
    var highest = new TreeMap<String, Double>();
    var lowest = new TreeMap<String, Double>();
    for (var rule : limiter.rules().rules()) {
      if (rule.sheds()) highest.put(rule.id(), 0.0);
    }
    for (var level : limiter.signals().levels()) {
      if (level.tuned().isPresent()) {
        double rate = Tuning.perSecond(level.tuned().get().rate());
        lowest.merge(level.rule(), rate, Math::min);
      } else {
        highest.merge(level.rule(), level.level(), Math::max);
      }
    }
    add(
        snapshots,
        "headgate_shed_level",
        "Share of the requests that a rule drops, of its backend with the highest.",
        highest);
    add(
        snapshots,
        "headgate_tuned_rate",
        "Permits per second of a rule whose rate follows a signal, of its backend with the lowest.",
        lowest);
  }

  private static void add(
      MetricSnapshots.Builder snapshots, String name, String help, Map<String, Double> byRule) {
    if (byRule.isEmpty()) return;
    var gauge = GaugeSnapshot.builder().name(name).help(help);
    byRule.forEach((rule, value) ->
        gauge.dataPoint(
            GaugeDataPointSnapshot.builder().labels(Labels.of("rule", rule)).value(value).build()));
    snapshots.metricSnapshot(gauge.build());
  }

  private static GaugeSnapshot gauge(String name, String help, long value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value((double) value).build())
        .build();
  }
}
