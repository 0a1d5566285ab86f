package io.headgate.benchmarks.compare;

import io.headgate.benchmarks.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Compares the reports of two commits and prints the figures that moved beyond noise. */
public final class ReportComparison {
  private final Map<Figure, FigureComparison> comparisons = new LinkedHashMap<>();
  private int unmatched;

  /**
   * Creates a comparison of figures that are in every report; the others are counted.
   *
   * @throws IllegalArgumentException if a list is empty
   */
  ReportComparison(List<String> base, List<String> current) {
    var before = base.stream().map(ReportParser::parse).toList();
    var after = current.stream().map(ReportParser::parse).toList();
    if (before.isEmpty() || after.isEmpty()) {
      throw new IllegalArgumentException("a comparison needs a report of each commit");
    }
    for (var figure : after.getFirst().keySet()) {
      if (isIn(before, figure) && isIn(after, figure)) {
        comparisons.put(
            figure, new FigureComparison(values(before, figure), values(after, figure)));
      } else {
        unmatched++;
      }
    }
  }

  /**
   * Prints the comparison of the reports {@code base-1.md}, {@code current-1.md}, {@code base-2.md}
   * and so on in a directory. Exits with 1 if a figure has moved and with 2 if there is nothing to
   * compare.
   */
  public static void main(String[] args) throws IOException {
    var directory = Path.of(args[0]);
    var base = reports(directory, "base");
    var current = reports(directory, "current");
    if (base.isEmpty() || base.size() != current.size()) {
      System.err.println(
          "compare: %s has %d reports of the base and %d of the current commit; both must be measured"
              .formatted(directory, base.size(), current.size()));
      System.exit(2);
    }
    var comparison = new ReportComparison(base, current);
    if (comparison.comparisons.isEmpty()) {
      System.err.println("compare: the reports have no figure in common");
      System.exit(2);
    }
    System.out.print(comparison.markdown());
    System.exit(comparison.moved().isEmpty() ? 0 : 1);
  }

  private static List<String> reports(Path directory, String commit) throws IOException {
    var reports = new ArrayList<String>();
    for (int turn = 1; ; turn++) {
      var file = directory.resolve(commit + "-" + turn + ".md");
      if (!Files.exists(file)) return reports;
      reports.add(Files.readString(file));
    }
  }

  private Map<Figure, FigureComparison> moved() {
    var moved = new LinkedHashMap<Figure, FigureComparison>();
    comparisons.forEach((figure, comparison) -> {
      if (comparison.hasMoved()) moved.put(figure, comparison);
    });
    return moved;
  }

  String markdown() {
    var moved = moved();
    var text = new StringBuilder();
    text.append(
        "%d of %d figures moved beyond noise%s.\n"
            .formatted(
                moved.size(),
                comparisons.size(),
                unmatched == 0 ? "" : "; %d are not in every report".formatted(unmatched)));
    if (moved.isEmpty()) return text.toString();
    var table = new Table("figure", "base", "current", "current ÷ base");
    moved.forEach((figure, comparison) ->
        table.row(
            label(figure),
            decimal(comparison.baseMedian()),
            decimal(comparison.currentMedian()),
            String.format(Locale.ROOT, "%.2f", comparison.ratio())));
    return text.append('\n').append(table).toString();
  }

  private static String label(Figure figure) {
    return "%s, table %d: %s, %s"
        .formatted(figure.section(), figure.table(), figure.row(), figure.column());
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, Math.abs(value) < 100 ? "%.2f" : "%,.0f", value);
  }

  private static boolean isIn(List<Map<Figure, Double>> reports, Figure figure) {
    return reports.stream().allMatch(report -> report.containsKey(figure));
  }

  private static double[] values(List<Map<Figure, Double>> reports, Figure figure) {
    return reports.stream().mapToDouble(report -> report.getOrDefault(figure, 0.0)).toArray();
  }
}
