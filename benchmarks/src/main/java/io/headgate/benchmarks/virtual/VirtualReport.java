package io.headgate.benchmarks.virtual;

import io.headgate.benchmarks.HoldableLimit;
import io.headgate.benchmarks.ProgressLog;
import io.headgate.benchmarks.Table;
import io.headgate.benchmarks.TrafficPattern;
import io.headgate.rule.Consistency;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reports the accuracy and the cost of the consistency modes in virtual time. */
public final class VirtualReport {
  private static final int INSTANCES = 5;
  private static final List<Consistency> MODES =
      List.of(Consistency.STRICT, Consistency.LEASED, Consistency.EVENTUAL);

  private VirtualReport() {}

  /**
   * Measures and returns the report as Markdown.
   *
   * @param full whether each run lasts ten times as long
   */
  public static String report(ProgressLog progress, boolean full) {
    var table =
        new Table(
            "traffic", "limit", "mode", "wrongly denied", "over", "commands a check", "saved");
    for (var run : runs(full ? 10 : 1)) {
      var strict = run(run, Consistency.STRICT).measure();
      for (var mode : MODES) {
        var result = mode == Consistency.STRICT ? strict : run(run, mode).measure();
        progress.log("  %s, %s, %s".formatted(run.traffic().title, run.algorithm().title, mode));
        table.row(
            run.traffic().title,
            run.algorithm().title,
            mode.name().toLowerCase(Locale.ROOT),
            String.format(Locale.ROOT, "%.2f%%", 100 * result.wronglyDenied()),
            String.format(Locale.ROOT, "%,d", Math.max(0, result.over())),
            String.format(Locale.ROOT, "%.4f", result.commandsPerCheck()),
            String.format(Locale.ROOT, "%.1f×", (double) strict.commands() / result.commands()));
      }
    }
    return """
    %d instances in virtual time, a round trip of 0.5 ms, runs of %d s (%d s with limits of a minute). *Over* is the number
    of permits by which the fullest span exceeded its limit. *Saved* is the commands of `strict` relative to those of the mode.

    %s\
    """
        .formatted(
            INSTANCES,
            seconds(TrafficPattern.STEADY, full ? 10 : 1),
            seconds(TrafficPattern.ZIPF_MINUTE, full ? 10 : 1),
            table);
  }

  private static List<VirtualRun> runs(int factor) {
    var runs = new ArrayList<VirtualRun>();
    for (var traffic : TrafficPattern.values()) {
      for (var algorithm : HoldableLimit.values()) {
        var time = Duration.ofSeconds(seconds(traffic, factor));
        runs.add(new VirtualRun(INSTANCES, traffic, algorithm, Consistency.STRICT, time));
      }
    }
    return runs;
  }

  private static VirtualRun run(VirtualRun run, Consistency mode) {
    return new VirtualRun(run.instances(), run.traffic(), run.algorithm(), mode, run.time());
  }

  private static int seconds(TrafficPattern traffic, int factor) {
    return factor * (traffic == TrafficPattern.ZIPF_MINUTE ? 6 : 3);
  }
}
