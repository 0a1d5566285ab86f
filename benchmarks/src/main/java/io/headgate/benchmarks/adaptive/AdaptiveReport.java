package io.headgate.benchmarks.adaptive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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
    var evaluations = Evaluation.all();
    Files.writeString(picture, AdaptivePicture.svg(evaluations));
    return tables(evaluations) + "\n" + RealPlants.report(isFull ? 15 : 3);
  }

  static String tables(List<Evaluation> evaluations) {
    return "Goodput, as a share of the possible:\n\n"
        + goodputs(evaluations)
        + "\n99th percentile of admitted requests in ms; **bold** if it meets the aim:\n\n"
        + latencies(evaluations)
        + "\nHeadgate's limit, and tenants:\n\n"
        + details(evaluations);
  }

  private static String latencies(List<Evaluation> evaluations) {
    var text = new StringBuilder(head("plant", "aim"));
    for (var each : evaluations) {
      text.append("| ").append(each.plant().name()).append(" | ");
      text.append(millis(each.p99Aim()));
      for (var contender : Contender.values()) {
        double p99 = each.of(contender).p99();
        text.append(" | ").append(p99 <= each.p99Aim() ? "**" + millis(p99) + "**" : millis(p99));
      }
      text.append(" |\n");
    }
    return text.toString();
  }

  private static String details(List<Evaluation> evaluations) {
    var text = new StringBuilder();
    text.append(
        "| plant | seconds to 95% | overshoot | oscillation | Jain's index | critical refused |\n");
    text.append("| --- | --: | --: | --: | --: | --: |\n");
    for (var each : evaluations) {
      var run = each.of(Contender.HEADGATE);
      text.append(
          format(
              "| %s | %s | %.0f%% | %.0f%% | %.2f | %.0f%% |\n",
              each.plant().name(),
              Double.isInfinite(run.settleSeconds()) ? "–" : format("%.0f", run.settleSeconds()),
              100 * run.overshoot(),
              100 * run.oscillation(),
              run.fairness(),
              100 * run.criticalRefused()));
    }
    return text.toString();
  }

  private static String goodputs(List<Evaluation> evaluations) {
    var text = new StringBuilder(head("plant"));
    for (var each : evaluations) {
      text.append("| ").append(each.plant().name());
      for (var contender : Contender.values()) {
        text.append(format(" | %.3f", each.of(contender).goodput()));
      }
      text.append(" |\n");
    }
    return text.toString();
  }

  private static String head(String... firsts) {
    var columns = new ArrayList<>(List.of(firsts));
    for (var contender : Contender.values()) columns.add(contender.title);
    var text = new StringBuilder("| " + String.join(" | ", columns) + " |\n| ---");
    for (int i = 1; i < columns.size(); i++) text.append(" | --:");
    return text.append(" |\n").toString();
  }

  private static String millis(double seconds) {
    return format("%.0f", seconds * 1e3);
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  private AdaptiveReport() {}
}
