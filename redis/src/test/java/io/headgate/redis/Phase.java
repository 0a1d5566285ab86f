package io.headgate.redis;

import io.headgate.CheckResult;
import io.headgate.store.Source;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.HdrHistogram.ConcurrentHistogram;

/** The decisions of one phase of an outage test, and their latencies. */
final class Phase {
  private static final int DIGITS = 3;

  private record Kind(String rule, Source source, boolean allowed) {}

  private final ConcurrentHistogram micros = new ConcurrentHistogram(DIGITS);
  private final Map<Kind, LongAdder> counts = new ConcurrentHashMap<>();

  void record(String rule, CheckResult result, long nanos) {
    micros.recordValue(nanos / 1_000);
    counts
        .computeIfAbsent(
            new Kind(rule, result.source(), result.isAllowed()), kind -> new LongAdder())
        .increment();
  }

  long decisions() {
    return micros.getTotalCount();
  }

  long decisions(Source source) {
    return sum(kind -> kind.source == source);
  }

  long decisions(String rule, Source source) {
    return sum(kind -> kind.source == source && kind.rule.equals(rule));
  }

  long admitted(String rule, Source source) {
    return sum(kind -> kind.source == source && kind.rule.equals(rule) && kind.allowed);
  }

  private long sum(Predicate<Kind> wanted) {
    return counts.entrySet().stream()
        .filter(entry -> wanted.test(entry.getKey()))
        .mapToLong(entry -> entry.getValue().sum())
        .sum();
  }

  /** Returns the latency in milliseconds: median, 99th percentile and maximum. */
  String latency() {
    return "%s / %s / %s"
        .formatted(
            millis(micros.getValueAtPercentile(50)),
            millis(micros.getValueAtPercentile(99)),
            millis(micros.getMaxValue()));
  }

  private static String millis(long micros) {
    return micros < 10_000
        ? "%.2f".formatted(micros / 1_000.0)
        : "%.0f".formatted(micros / 1_000.0);
  }
}
