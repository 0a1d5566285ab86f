package io.headgate.server.metrics;

import com.sun.management.OperatingSystemMXBean;
import io.headgate.RateLimiter;
import io.headgate.rule.UnusedCosts;
import io.headgate.server.quota.QuotaStats;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.stats.DecisionListener;
import io.headgate.store.Budget;
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
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** All metrics of one service, in Prometheus formats. Thread-safe. */
public final class Metrics implements AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final DecisionCounts decisions;
  private final AdaptiveLimits adaptiveLimits;
  private final UnusedCostCounts unusedCosts;
  private final UnansweredCalls unansweredCalls = new UnansweredCalls();

  /**
   * Creates and registers the metrics.
   *
   * @param store metrics of the limiter's store
   * @param quotas supplies the figures of quota assignments
   * @param builtInRules rules that appear in decisions without being in the repository
   * @param connections supplies the number of open client connections
   * @param budgets supplies the internal budgets of this instance
   * @param loops the maximum number of event loops, and thereby listeners
   */
  public Metrics(
      RateLimiter limiter,
      RuleRepository repository,
      StoreMetrics store,
      Supplier<QuotaStats> quotas,
      Set<String> builtInRules,
      IntSupplier connections,
      Supplier<List<Budget>> budgets,
      int loops) {
    this.decisions = new DecisionCounts(limiter::rules, builtInRules, loops);
    this.adaptiveLimits = new AdaptiveLimits(limiter::rules);
    this.unusedCosts = new UnusedCostCounts(limiter::rules);
    var gauges = new Gauges(limiter, repository, connections);
    MultiCollector collector =
        () -> {
          var snapshots = MetricSnapshots.builder();
          decisions.addTo(snapshots);
          unusedCosts.addTo(snapshots);
          unansweredCalls.addTo(snapshots);
          adaptiveLimits.addTo(snapshots);
          store.addTo(snapshots);
          gauges.addTo(snapshots);
          QuotaMetrics.add(quotas.get(), snapshots);
          BudgetMetrics.add(budgets.get(), snapshots);
          return snapshots.build();
        };
    registry.getPrometheusRegistry().register(collector);
    bindJvm();
  }

  private void bindJvm() {
    // The names of these two violate the Prometheus conventions.
    registry.config().meterFilter(MeterFilter.denyNameStartsWith("system.cpu.count"));
    registry.config().meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"));
    if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
      FunctionCounter.builder("process.cpu", system, bean -> bean.getProcessCpuTime() / 1e9)
          .baseUnit("seconds")
          .description("CPU time used by this process.")
          .register(registry);
    }
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    collections.bindTo(registry);
  }

  /** Returns a new listener that counts decisions, for one event loop. */
  public DecisionListener listener() {
    return DecisionListener.all(List.of(decisions.listener(), adaptiveLimits));
  }

  /** Returns the counter of requests with costs that no limit spends; thread-safe. */
  public Consumer<UnusedCosts> unusedCosts() {
    return unusedCosts;
  }

  /** Returns the counter of rate limit calls without a decision. */
  public UnansweredCalls unansweredCalls() {
    return unansweredCalls;
  }

  /**
   * Collects all metrics. Takes a while, so event loops must not call it.
   *
   * @param accept the value of the HTTP Accept header, which selects the format
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

  /** The metrics in one format, for an HTTP response. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Page(String mediaType, byte[] bytes) {}

  @Override
  public void close() {
    collections.close();
    registry.close();
  }
}
