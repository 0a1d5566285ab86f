package io.headgate.spring.actuate;

import io.headgate.redis.RoundTripListener;
import io.headgate.store.OutageListener;
import io.headgate.store.StoreException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Metrics of a store in Redis: {@code headgate_store_seconds}, {@code
 * headgate_store_commands_total}, {@code headgate_store_outages_total} and {@code
 * headgate_store_errors_total} in Prometheus. Thread-safe.
 */
final class StoreMeters implements OutageListener, RoundTripListener {
  private final Timer calls;
  private final Counter commands;
  private final Counter outages;
  private final Map<StoreException.Kind, Counter> errors = new EnumMap<>(StoreException.Kind.class);

  StoreMeters(MeterRegistry registry) {
    this.calls =
        HeadgateMetrics.timer(
                "headgate.store",
                "Latency of calls to the store; one call may carry many commands.")
            .register(registry);
    this.commands =
        Counter.builder("headgate.store.commands")
            .description("Commands sent to the store.")
            .register(registry);
    this.outages =
        Counter.builder("headgate.store.outages")
            .description("Times the circuit breaker of the store opened.")
            .register(registry);
    for (var kind : StoreException.Kind.values()) {
      errors.put(
          kind,
          Counter.builder("headgate.store.errors")
              .description("Requests that the store did not decide, by kind of failure.")
              .tag("kind", kind.label())
              .register(registry));
    }
  }

  @Override
  public void onRoundTrip(int count, long nanos) {
    commands.increment(count);
    calls.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void failed(StoreException.Kind kind) {
    var counter = errors.get(kind);
    if (counter != null) counter.increment();
  }

  @Override
  public void opened(String message) {
    outages.increment();
  }
}
