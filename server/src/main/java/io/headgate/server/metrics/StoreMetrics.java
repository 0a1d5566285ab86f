package io.headgate.server.metrics;

import io.headgate.redis.RoundTripListener;
import io.headgate.server.stats.StoreLatency;
import io.headgate.store.OutageListener;
import io.headgate.store.StoreException;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Metrics of a remote store: calls, latency, errors and outages. Must be registered as a listener
 * before the store is opened. Thread-safe.
 */
public final class StoreMetrics implements OutageListener, RoundTripListener {
  private final Map<StoreException.Kind, LongAdder> failures =
      new EnumMap<>(StoreException.Kind.class);
  private final AtomicLong outages = new AtomicLong();
  private final LongAdder lateAllowed = new LongAdder();
  private final LongAdder lateDenied = new LongAdder();
  private final LongAdder commands = new LongAdder();
  private final PrometheusHistogram calls = new PrometheusHistogram();
  private final StoreLatency times = new StoreLatency();

  public StoreMetrics() {
    for (var kind : StoreException.Kind.values()) failures.put(kind, new LongAdder());
  }

  @Override
  public void onRoundTrip(int count, long nanos) {
    commands.add(count);
    calls.add(nanos);
    times.record(nanos);
  }

  /** Returns the latency of the last minute. */
  public StoreLatency times() {
    return times;
  }

  @Override
  public void failed(StoreException.Kind kind) {
    var count = failures.get(kind);
    if (count != null) count.increment();
  }

  @Override
  public void decidedLate(boolean allowed) {
    (allowed ? lateAllowed : lateDenied).increment();
  }

  @Override
  public void opened(String message) {
    outages.getAndIncrement();
  }

  void addTo(MetricSnapshots.Builder snapshots) {
    snapshots.metricSnapshot(
        PrometheusHistogram.snapshot(
            "headgate_store_seconds",
            "Latency of calls to the store; one call may carry many commands.",
            List.of(calls)));
    snapshots.metricSnapshot(
        counter("headgate_store_commands", "Commands sent to the store.", commands.sum()));
    snapshots.metricSnapshot(
        counter(
            "headgate_store_outages",
            "Times the circuit breaker of the store opened.",
            outages.get()));
    snapshots.metricSnapshot(
        CounterSnapshot.builder()
            .name("headgate_store_late")
            .help("Requests decided without their reply, which was late, while the store answered.")
            .dataPoint(late("allowed", lateAllowed))
            .dataPoint(late("denied", lateDenied))
            .build());
    var errors =
        CounterSnapshot.builder()
            .name("headgate_store_errors")
            .help("Requests that the store did not decide, by kind of failure.");
    failures.forEach((kind, count) ->
        errors.dataPoint(
            CounterDataPointSnapshot.builder()
                .value((double) count.sum())
                .labels(Labels.of("kind", kind.label()))
                .build()));
    snapshots.metricSnapshot(errors.build());
  }

  private static CounterDataPointSnapshot late(String decision, LongAdder count) {
    return CounterDataPointSnapshot.builder()
        .value((double) count.sum())
        .labels(Labels.of("decision", decision))
        .build();
  }

  private static CounterSnapshot counter(String name, String help, long value) {
    return CounterSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(CounterDataPointSnapshot.builder().value((double) value).build())
        .build();
  }
}
