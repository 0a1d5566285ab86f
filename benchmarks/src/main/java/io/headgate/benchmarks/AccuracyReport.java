package io.headgate.benchmarks;

import io.headgate.rule.Consistency;
import java.util.List;
import java.util.Locale;

/** Tells what came of the trials, in Markdown. */
final class AccuracyReport {
  private AccuracyReport() {}

  static String of(List<TrialResult> results) {
    var text = new StringBuilder();
    text.append(
        """
        *Admitted* is of what the limit's own arithmetic admits of the same arrivals, one after another: less
        than 100%% is wrongly denied. *Fullest* is the fullest window there was, over all windows and callers, of
        what the limit allows in it (for a bucket: over all spans, of burst and rate): more than 100%% is surely
        wrongly allowed, and *over* says by how many. *Questions* and *calls* are to Redis, for each decision.
        CPU is that of the instances, the replaying included.

        Instances were behind the recorded times by at most %,d µs in all but 1%% of requests (the worst trial; \
        the median trial: %,d µs). Their clocks are known to ±%,d µs at the worst (median: ±%,d µs), and a request \
        counts for a window only if it surely lies in it.
        """
            .formatted(
                results.stream().mapToInt(TrialResult::late).max().orElse(0),
                median(results.stream().mapToInt(TrialResult::late).toArray()),
                results.stream().mapToInt(TrialResult::uncertainty).max().orElse(0),
                median(results.stream().mapToInt(TrialResult::uncertainty).toArray())));
    for (var traffic : Traffic.values()) {
      var own = results.stream().filter(result -> result.trial().traffic() == traffic).toList();
      if (own.isEmpty()) continue;
      text.append(
          "\n**%s**: %s; limit %s\n\n"
              .formatted(capital(traffic.title), traffic.offered(), limit(traffic)));
      text.append(table(own));
    }
    return text.toString();
  }

  private static String capital(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  private static String limit(Traffic traffic) {
    return "%,d a %s%s"
        .formatted(
            traffic.rate().permits(),
            traffic.rate().period().toSeconds() == 1 ? "second" : "minute",
            traffic.callers == 1 ? "" : " each");
  }

  private static Table table(List<TrialResult> results) {
    var table =
        new Table(
            "instances, limit",
            "mode",
            "asked",
            "admitted",
            "fullest",
            "over",
            "questions",
            "calls",
            "p50 µs",
            "p99 µs",
            "CPU µs");
    for (var result : results) {
      var trial = result.trial();
      table.row(
          "%d, %s".formatted(trial.instances(), trial.algorithm().title),
          mode(trial.consistency()),
          "%,d".formatted(result.offered()),
          percent(result.admittedShare()),
          percent(result.fullest()),
          over(result),
          figure(result.questions()),
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

  /** For an eventual limit also what it may be. */
  private static String over(TrialResult result) {
    long over = Math.max(0, result.over());
    return result.trial().consistency() == Consistency.EVENTUAL
        ? "%,d (≤ %,d)".formatted(over, result.promised())
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

  /** One line for who watches. */
  static String line(TrialResult result) {
    var trial = result.trial();
    return "%d %s, %s, %s: admitted %s, fullest %s, over %s, under %s, questions %s, calls %s, p50 %s µs, p99 %s µs, CPU %s µs, late %,d µs, clocks ±%d µs"
        .formatted(
            trial.instances(),
            trial.traffic(),
            trial.algorithm().title,
            mode(trial.consistency()),
            percent(result.admittedShare()),
            percent(result.fullest()),
            over(result),
            percent(result.underShare()),
            figure(result.questions()),
            figure(result.calls()),
            figure(result.p50()),
            figure(result.p99()),
            figure(result.cpu()),
            result.late(),
            result.uncertainty());
  }
}
