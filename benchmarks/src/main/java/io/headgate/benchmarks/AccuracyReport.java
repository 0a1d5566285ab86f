package io.headgate.benchmarks;

import io.headgate.rule.Consistency;
import java.util.List;
import java.util.Locale;

/** Formats the results of the runs as Markdown. */
final class AccuracyReport {
  private AccuracyReport() {}

  static String of(List<AccuracyResult> results) {
    var text = new StringBuilder();
    text.append(
        """
        *Admitted* is relative to the exact algorithm run sequentially over the same arrivals: less than 100%% means
        wrongly denied. *Fullest* is the fullest window of all windows and callers, relative to its limit (for a
        bucket: of all spans, relative to burst plus rate): more than 100%% means certainly over-admitted, by *over*
        permits. *Commands* and *calls* are those sent to Redis, per decision. CPU is that of the instances,
        including the replay.

        The p99 delay of requests behind their recorded times was %,d µs in the worst run (median run: %,d µs). \
        The clocks are known to ±%,d µs in the worst run (median: ±%,d µs), and a request counts for a window only \
        if it certainly lies in it.
        """
            .formatted(
                results.stream().mapToInt(AccuracyResult::late).max().orElse(0),
                median(results.stream().mapToInt(AccuracyResult::late).toArray()),
                results.stream().mapToInt(AccuracyResult::uncertainty).max().orElse(0),
                median(results.stream().mapToInt(AccuracyResult::uncertainty).toArray())));
    for (var traffic : TrafficPattern.values()) {
      var ofTraffic = results.stream().filter(result -> result.run().traffic() == traffic).toList();
      if (ofTraffic.isEmpty()) continue;
      text.append(
          "\n**%s**: %s; limit %s\n\n"
              .formatted(capital(traffic.title), traffic.offered(), limit(traffic)));
      text.append(table(ofTraffic));
    }
    return text.toString();
  }

  private static String capital(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  private static String limit(TrafficPattern traffic) {
    return "%,d a %s%s"
        .formatted(
            traffic.rate().permits(),
            traffic.rate().period().toSeconds() == 1 ? "second" : "minute",
            traffic.callers == 1 ? "" : " each");
  }

  private static Table table(List<AccuracyResult> results) {
    var table =
        new Table(
            "instances, limit",
            "mode",
            "requests",
            "admitted",
            "fullest",
            "over",
            "commands",
            "calls",
            "p50 µs",
            "p99 µs",
            "CPU µs");
    for (var result : results) {
      var run = result.run();
      table.row(
          "%d, %s".formatted(run.instances(), run.algorithm().title),
          mode(run.consistency()),
          "%,d".formatted(result.offered()),
          percent(result.admittedShare()),
          percent(result.fullest()),
          over(result),
          figure(result.commands()),
          figure(result.calls()),
          figure(result.p50()),
          figure(result.p99()),
          figure(result.cpu()));
    }
    return table;
  }

  static String mode(Consistency consistency) {
    return consistency.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the permits admitted above the limit; for an eventual limit with its bound. */
  private static String over(AccuracyResult result) {
    long over = Math.max(0, result.over());
    return result.run().consistency() == Consistency.EVENTUAL
        ? "%,d (≤ %,d)".formatted(over, result.bound())
        : "%,d".formatted(over);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f%%", 100 * share);
  }

  private static String figure(double value) {
    return String.format(
        Locale.ROOT,
        value < 0.1 ? "%.4f" : value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%,.0f",
        value);
  }

  private static int median(int[] values) {
    java.util.Arrays.sort(values);
    return values.length == 0 ? 0 : values[values.length / 2];
  }

  /** Returns one line for the progress output. */
  static String line(AccuracyResult result) {
    var run = result.run();
    return "%d %s, %s, %s: admitted %s, fullest %s, over %s, under %s, commands %s, calls %s, p50 %s µs, p99 %s µs, CPU %s µs, late %,d µs, clocks ±%d µs"
        .formatted(
            run.instances(),
            run.traffic(),
            run.algorithm().title,
            mode(run.consistency()),
            percent(result.admittedShare()),
            percent(result.fullest()),
            over(result),
            percent(result.underShare()),
            figure(result.commands()),
            figure(result.calls()),
            figure(result.p50()),
            figure(result.p99()),
            figure(result.cpu()),
            result.late(),
            result.uncertainty());
  }
}
