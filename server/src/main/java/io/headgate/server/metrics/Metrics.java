package io.headgate.server.metrics;

import com.sun.management.OperatingSystemMXBean;
import io.headgate.RateLimiter;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.stats.DecisionListener;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.function.IntSupplier;

/** All figures of one service. */
public final class Metrics implements AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final DecisionCounts decisions;

  /**
   * @param store what its listeners have heard
   * @param alwaysThere rules that are not in the book, but decide
   * @param connections how many clients have open
   * @param loops how many witnesses there will be at the most
   */
  public Metrics(
      RateLimiter limiter,
      RuleRepository book,
      StoreMetrics store,
      Set<String> alwaysThere,
      IntSupplier connections,
      int loops) {
    this.decisions = new DecisionCounts(limiter::rules, alwaysThere, loops);
    var gauges = new Gauges(limiter, book, connections);
    MultiCollector own =
        () -> {
          var snapshots = MetricSnapshots.builder();
          decisions.addTo(snapshots);
          store.addTo(snapshots);
          gauges.addTo(snapshots);
          return snapshots.build();
        };
    registry.getPrometheusRegistry().register(own);
    bindJvm();
  }

  private void bindJvm() {
    // Two whose names are against Prometheus' conventions.
    registry.config().meterFilter(MeterFilter.denyNameStartsWith("system.cpu.count"));
    registry.config().meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"));
    if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
      FunctionCounter.builder("process.cpu", system, bean -> bean.getProcessCpuTime() / 1e9)
          .baseUnit("seconds")
          .description("CPU time that this process has used.")
          .register(registry);
    }
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    collections.bindTo(registry);
  }

  /** Hears of what is decided; one for each event loop. */
  public DecisionListener witness() {
    return decisions.witness();
  }

  /**
   * The figures of now. May wait for the store, so it is not for event loops.
   *
   * @param accept what the asker says that it understands, as in HTTP
   */
  public Page page(String accept) {
    var writer = formats.findWriter(accept);
    var bytes = new ByteArrayOutputStream(16 * 1024);
    try {
      writer.write(bytes, registry.getPrometheusRegistry().scrape());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Page(writer.getContentType(), bytes.toByteArray());
  }

  /** What to answer. */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  public record Page(String mediaType, byte[] bytes) {}

  @Override
  public void close() {
    collections.close();
    registry.close();
  }
}
