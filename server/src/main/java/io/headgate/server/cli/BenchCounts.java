package io.headgate.server.cli;

import io.headgate.server.cli.output.JsonReply;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** The latencies and decisions of the checks of one connection, or of all. Not thread-safe. */
final class BenchCounts {
  /** A minute; longer latencies count as this. */
  private static final long MAX_MICROS = 60_000_000;

  private static final class RuleCount {
    String limit = "";
    long allowed;
    long denied;
  }

  private final Histogram micros = new Histogram(MAX_MICROS, 3);
  private final Map<String, RuleCount> rules = new TreeMap<>();
  private long allowed;
  private long denied;
  private long errors;
  private String failure = "";

  /** Counts a decision. */
  void add(long nanos, JsonReply decision) {
    micros.recordValue(Math.min(MAX_MICROS, nanos / 1_000));
    boolean passed = decision.at("allowed").isTrue();
    if (passed) allowed++;
    else denied++;
    String rule = decision.at("rule").text();
    var count = rules.computeIfAbsent(rule.isEmpty() ? "no rule" : rule, name -> new RuleCount());
    if (passed) count.allowed++;
    else count.denied++;
    if (decision.at("limit").isPresent()) count.limit = " " + decision.at("limit").number();
  }

  /** Counts a check without a decision. */
  void failed(String reason) {
    errors++;
    failure = reason;
  }

  long errors() {
    return errors;
  }

  static BenchCounts merged(List<BenchCounts> parts) {
    var all = new BenchCounts();
    for (var part : parts) {
      all.micros.add(part.micros);
      all.allowed += part.allowed;
      all.denied += part.denied;
      all.errors += part.errors;
      if (!part.failure.isEmpty()) all.failure = part.failure;
      part.rules.forEach((name, count) -> {
        var sum = all.rules.computeIfAbsent(name, rule -> new RuleCount());
        sum.allowed += count.allowed;
        sum.denied += count.denied;
        if (!count.limit.isEmpty()) sum.limit = count.limit;
      });
    }
    return all;
  }

  /** Returns the report for a terminal. */
  String text(double seconds, int connections) {
    long requests = allowed + denied;
    var text = new StringBuilder();
    text.append(
        line(
            "%,d checks in %.1f s over %d connections: %,.0f a second",
            requests, seconds, connections, requests / seconds));
    text.append(
        line(
            "  latency    p50 %.2f ms, p90 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, max %.2f ms",
            millis(50), millis(90), millis(99), millis(99.9), millis(100)));
    text.append(line("  decisions  %,d allowed, %,d denied", allowed, denied));
    rules.forEach((name, count) ->
        text.append(
            line(
                "  rule       %s: %,d admitted, %,d denied, limit%s",
                name, count.allowed, count.denied, count.limit.isEmpty() ? " none" : count.limit)));
    if (errors > 0) {
      text.append(line("  errors     %d connections stopped: %s", errors, failure));
    }
    return text.toString();
  }

  /** Returns the report as one line of JSON. */
  String json(double seconds, int connections) {
    return String.format(
        Locale.ROOT,
        "{\"checks\":%d,\"seconds\":%.3f,\"connections\":%d,\"allowed\":%d,\"denied\":%d,\"errors\":%d,"
            + "\"latencyMs\":{\"p50\":%.3f,\"p90\":%.3f,\"p99\":%.3f,\"max\":%.3f}}",
        allowed + denied,
        seconds,
        connections,
        allowed,
        denied,
        errors,
        millis(50),
        millis(90),
        millis(99),
        millis(100));
  }

  private double millis(double percentile) {
    return micros.getValueAtPercentile(percentile) / 1_000.0;
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format + "%n", values);
  }
}
