package io.headgate.benchmarks.adaptive;

import io.headgate.benchmarks.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;

/** Writes the tables and the picture of the evaluation. */
public final class AdaptiveReport {
  /**
   * Runs the simulations and the two real servers.
   *
   * @param picture where to write the picture
   * @param isFull whether to measure the real servers for 15 s per run rather than 3 s
   * @return the tables as Markdown
   */
  public static String report(Path picture, boolean isFull)
      throws IOException, InterruptedException {
    var evaluations = Evaluation.all(Plants.all(), Contender.LIMITS);
    Files.writeString(picture, AdaptivePicture.svg(evaluations));
    return limits(evaluations)
        + "\n"
        + heldOut(HeldOut.all())
        + "\n"
        + RealPlants.report(isFull ? 15 : 3)
        + "\n### Load shedding\n\n"
        + shedders(Evaluation.all(Plants.shedding(), Contender.SHEDDERS));
  }

  private static String limits(List<Evaluation> evaluations) {
    return "Goodput, as a share of the possible:\n\n"
        + table(evaluations, Contender.LIMITS, AdaptiveReport::goodput)
        + "\n99th percentile of admitted requests in ms; **bold** if it meets the aim:\n\n"
        + latencies(evaluations, Contender.LIMITS)
        + "\nHeadgate's limit, and tenants:\n\n"
        + details(evaluations);
  }

  /** Returns the tables of load shedding. */
  static String shedders(List<Evaluation> evaluations) {
    var mixed = evaluations.stream().filter(Evaluation::hasPriorities).toList();
    var several = evaluations.stream().filter(each -> each.plant().tenants().size() > 1).toList();
    return "Goodput, as a share of the possible:\n\n"
        + table(evaluations, Contender.SHEDDERS, AdaptiveReport::goodput)
        + "\n99th percentile of admitted requests in ms:\n\n"
        + table(evaluations, Contender.SHEDDERS, (each, by) -> millis(each.of(by).p99()))
        + "\nCritical requests dropped, and those of them that were dropped within 0.1 s after a less"
        + " important one was admitted:\n\n"
        + table(mixed, Contender.SHEDDERS, AdaptiveReport::critical)
        + "\nJain's index of the tenants, relative to max-min shares:\n\n"
        + table(several, Contender.SHEDDERS, (each, by) -> format("%.2f", each.of(by).fairness()));
  }

  private static String heldOut(List<HeldOut> plants) {
    var table =
        new Table(
            "plant",
            Contender.FIXED_RIGHT.title,
            Contender.GRADIENT2.title,
            Contender.HEADGATE.title,
            "worst seed",
            "p99",
            "aim");
    for (var each : plants) {
      double p99 = each.p99();
      table.row(
          each.plant().name(),
          format("%.3f", each.goodput(Contender.FIXED_RIGHT)),
          format("%.3f", each.goodput(Contender.GRADIENT2)),
          format("%.3f", each.goodput(Contender.HEADGATE)),
          format("%.3f", each.worst()),
          p99 <= each.p99Aim() ? "**" + millis(p99) + "**" : millis(p99),
          millis(each.p99Aim()));
    }
    return "Goodput on plants that were not used to choose the constants, as means of "
        + HeldOut.SEEDS.size()
        + " seeds; Headgate's worst seed, and its mean 99th percentile in ms:\n\n"
        + table;
  }

  private static String latencies(List<Evaluation> evaluations, List<Contender> contenders) {
    var columns = new ArrayList<>(List.of("plant", "aim"));
    for (var contender : contenders) columns.add(contender.title);
    var table = new Table(columns.toArray(String[]::new));
    for (var each : evaluations) {
      var row = new ArrayList<>(List.of(each.plant().name(), millis(each.p99Aim())));
      for (var contender : contenders) {
        double p99 = each.of(contender).p99();
        row.add(p99 <= each.p99Aim() ? "**" + millis(p99) + "**" : millis(p99));
      }
      table.row(row);
    }
    return table.toString();
  }

  private static String details(List<Evaluation> evaluations) {
    var table =
        new Table(
            "plant",
            "seconds to 95%",
            "overshoot",
            "oscillation",
            "Jain's index",
            "critical refused");
    for (var each : evaluations) {
      var run = each.of(Contender.HEADGATE);
      table.row(
          each.plant().name(),
          Double.isInfinite(run.settleSeconds()) ? "–" : format("%.0f", run.settleSeconds()),
          format("%.0f%%", 100 * run.overshoot()),
          format("%.0f%%", 100 * run.oscillation()),
          format("%.2f", run.fairness()),
          format("%.0f%%", 100 * run.criticalRefused()));
    }
    return table.toString();
  }

  private static String table(
      List<Evaluation> evaluations,
      List<Contender> contenders,
      BiFunction<Evaluation, Contender, String> cell) {
    var columns = new ArrayList<>(List.of("plant"));
    for (var contender : contenders) columns.add(contender.title);
    var table = new Table(columns.toArray(String[]::new));
    for (var each : evaluations) {
      var row = new ArrayList<>(List.of(each.plant().name()));
      for (var contender : contenders) row.add(cell.apply(each, contender));
      table.row(row);
    }
    return table.toString();
  }

  private static String goodput(Evaluation each, Contender contender) {
    return format("%.3f", each.of(contender).goodput());
  }

  private static String critical(Evaluation each, Contender contender) {
    var run = each.of(contender);
    return format("%.1f%%, %.1f%%", 100 * run.criticalRefused(), 100 * run.inverted());
  }

  private static String millis(double seconds) {
    return format("%.0f", seconds * 1e3);
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  private AdaptiveReport() {}
}
