package io.headgate.spring.actuate;

import io.headgate.CheckResult;
import io.headgate.http.CheckListener;
import io.headgate.rule.Request;
import io.headgate.spring.OutcomeLabel;
import io.headgate.store.Source;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts decisions by rule and measures their latency, under the names of the service: {@code
 * headgate_decisions_total}, {@code headgate_shadow_denials_total} and {@code
 * headgate_check_seconds} in Prometheus. At most {@value #MAX_RULES} rules have series of their
 * own. Callers are never a label. Thread-safe.
 */
final class HeadgateMetrics implements CheckListener {
  static final int MAX_RULES = 1_000;

  /** The label of decisions to which no rule applied; not a valid rule id. */
  static final String NONE = "(none)";

  /** The label of rules beyond the maximum number of series. */
  static final String OTHER = "(other)";

  private static final Duration[] BUCKETS = {
    Duration.ofNanos(5_000),
    Duration.ofNanos(20_000),
    Duration.ofNanos(100_000),
    Duration.ofNanos(250_000),
    Duration.ofNanos(500_000),
    Duration.ofMillis(1),
    Duration.ofNanos(2_500_000),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(15),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofSeconds(1)
  };

  private record Series(String rule, OutcomeLabel outcome, Source source) {}

  private final MeterRegistry registry;
  private final Timer latency;
  private final Map<Series, Counter> decisions = new ConcurrentHashMap<>();
  private final Map<String, Counter> shadowDenials = new ConcurrentHashMap<>();
  private final Map<String, String> labels = new ConcurrentHashMap<>();

  HeadgateMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.latency =
        timer("headgate.check", "Latency of decisions, without HTTP processing.")
            .register(registry);
  }

  /** Starts a timer with the buckets of the service. */
  static Timer.Builder timer(String name, String description) {
    return Timer.builder(name).description(description).serviceLevelObjectives(BUCKETS);
  }

  @Override
  public void checked(Request request, CheckResult result, long nanos) {
    latency.record(nanos, TimeUnit.NANOSECONDS);
    var rule = result.rule();
    var series =
        new Series(
            rule.isPresent() ? label(rule.get().id()) : NONE,
            OutcomeLabel.of(result),
            result.source());
    decisions.computeIfAbsent(series, this::decisions).increment();
    for (var shadow : result.shadowDenials()) {
      shadowDenials.computeIfAbsent(label(shadow.id()), this::shadowDenials).increment();
    }
  }

  private String label(String rule) {
    var known = labels.get(rule);
    if (known != null) return known;
    if (labels.size() >= MAX_RULES) return OTHER;
    labels.put(rule, rule);
    return rule;
  }

  private Counter decisions(Series series) {
    return Counter.builder("headgate.decisions")
        .description("Decisions, by the rule that denied or, if none did, whose limit is tightest.")
        .tag("rule", series.rule)
        .tag("outcome", series.outcome.text())
        .tag("source", series.source.name().toLowerCase(Locale.ROOT))
        .register(registry);
  }

  private Counter shadowDenials(String rule) {
    return Counter.builder("headgate.shadow.denials")
        .description("Requests that rules in shadow mode would have denied.")
        .tag("rule", rule)
        .register(registry);
  }
}
