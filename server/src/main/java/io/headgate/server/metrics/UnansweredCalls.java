package io.headgate.server.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts rate limit calls over gRPC that end without a decision. Envoy lets their requests pass
 * unless its {@code failure_mode_deny} is set. Thread-safe.
 */
public final class UnansweredCalls {
  /** Why a call has no decision. */
  public enum Reason {
    /** The client reset the call or closed its connection, usually at its timeout. */
    CANCELLED,
    /** There was no decision at the deadline, since the store has no failure policies. */
    DEADLINE,
    /** An error of the service. */
    ERROR,
    /** The service had no memory for the call. */
    REFUSED,
    /** The call is invalid or not authorized. */
    REJECTED,
    /** The store is unavailable, and has no failure policies. */
    UNAVAILABLE
  }

  private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);

  UnansweredCalls() {
    for (var reason : Reason.values()) counts.put(reason, new LongAdder());
  }

  /** Counts a call. */
  public void count(Reason reason) {
    var count = counts.get(reason);
    if (count != null) count.increment();
  }

  void addTo(MetricSnapshots.Builder snapshots) {
    var snapshot =
        CounterSnapshot.builder()
            .name("headgate_grpc_unanswered")
            .help("Rate limit calls over gRPC that ended without a decision, by reason.");
    counts.forEach((reason, count) ->
        snapshot.dataPoint(
            CounterDataPointSnapshot.builder()
                .labels(Labels.of("reason", reason.name().toLowerCase(Locale.ROOT)))
                .value((double) count.sum())
                .build()));
    snapshots.metricSnapshot(snapshot.build());
  }
}
