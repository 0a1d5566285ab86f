package io.headgate.server.metrics;

import io.headgate.outage.OutageListener;
import io.headgate.redis.RoundTripListener;
import io.headgate.server.stats.StoreLatency;
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

/** How a store that is elsewhere does. To be given to it before it is opened. */
public final class StoreMetrics implements OutageListener, RoundTripListener {
  private final Map<StoreException.Kind, LongAdder> failures =
      new EnumMap<>(StoreException.Kind.class);
  private final AtomicLong outages = new AtomicLong();
  private final LongAdder questions = new LongAdder();
  private final PrometheusHistogram calls = new PrometheusHistogram();
  private final StoreLatency times = new StoreLatency();

  public StoreMetrics() {
    for (var kind : StoreException.Kind.values()) failures.put(kind, new LongAdder());
  }

  @Override
  public void ended(int asked, long nanos) {
    questions.add(asked);
    calls.add(nanos);
    times.took(nanos);
  }

  /** The same, of the last minute only. */
  public StoreLatency times() {
    return times;
  }

  @Override
  public void failed(StoreException.Kind kind) {
    var count = failures.get(kind);
    if (count != null) count.increment();
  }

  @Override
  public void opened(String message) {
    outages.getAndIncrement();
  }

  void addTo(MetricSnapshots.Builder snapshots) {
    snapshots.metricSnapshot(
        PrometheusHistogram.snapshot(
            "headgate_store_seconds",
            "How long calls to the store took; one call may carry many commands.",
            List.of(calls)));
    snapshots.metricSnapshot(
        counter(
            "headgate_store_commands",
            "How many commands the calls to the store carried.",
            questions.sum()));
    snapshots.metricSnapshot(
        counter("headgate_store_outages", "How often the store was given up.", outages.get()));
    var errors =
        CounterSnapshot.builder()
            .name("headgate_store_errors")
            .help("Requests that the store did not decide, by what kept it from it.");
    failures.forEach((kind, count) ->
        errors.dataPoint(
            CounterDataPointSnapshot.builder()
                .value((double) count.sum())
                .labels(Labels.of("kind", kind.label()))
                .build()));
    snapshots.metricSnapshot(errors.build());
  }

  private static CounterSnapshot counter(String name, String help, long value) {
    return CounterSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(CounterDataPointSnapshot.builder().value((double) value).build())
        .build();
  }
}
