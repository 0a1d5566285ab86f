package io.headgate.benchmarks.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * Reads the figures of a report: the first number of each cell of its tables. Columns without a
 * name, which contain ratios to another row, and cells without a number are ignored. If two rows of
 * a table have the same first cell, the later one is numbered. Used by one thread.
 */
final class ReportParser {
  private static final Pattern NUMBER = Pattern.compile("-?\\d[\\d,]*(\\.\\d+)?");

  private final Map<Figure, Double> figures = new LinkedHashMap<>();
  private String section = "";
  private int table;
  private List<String> columns = List.of();

  private ReportParser() {}

  /** Returns the figures of a report in their order; empty if it has no table. */
  static Map<Figure, Double> parse(String markdown) {
    var parser = new ReportParser();
    markdown.lines().forEach(parser::read);
    return parser.figures;
  }

  private void read(String line) {
    if (line.startsWith("### ")) {
      section = line.substring(4).strip();
      table = 0;
    }
    if (!line.startsWith("|")) {
      columns = List.of();
      return;
    }
    var cells = cells(line);
    if (columns.isEmpty()) {
      columns = cells;
      table++;
    } else if (!cells.getFirst().matches(":?-+:?")) {
      readRow(cells);
    }
  }

  private void readRow(List<String> cells) {
    var row = cells.getFirst();
    for (int repeated = 2; hasRow(row); repeated++) row = cells.getFirst() + " #" + repeated;
    for (int i = 1; i < Math.min(cells.size(), columns.size()); i++) {
      var value = number(cells.get(i));
      if (columns.get(i).isEmpty() || value.isEmpty()) continue;
      figures.put(new Figure(section, table, row, columns.get(i)), value.getAsDouble());
    }
  }

  private boolean hasRow(String row) {
    return figures.keySet().stream()
        .anyMatch(figure ->
            figure.section().equals(section)
                && figure.table() == table
                && figure.row().equals(row));
  }

  private static List<String> cells(String line) {
    var inner = line.strip().substring(1);
    if (inner.endsWith("|")) inner = inner.substring(0, inner.length() - 1);
    var cells = new ArrayList<String>();
    Arrays.stream(inner.split("\\|", -1)).map(String::strip).forEach(cells::add);
    return cells;
  }

  private static OptionalDouble number(String cell) {
    var found = NUMBER.matcher(cell);
    if (!found.find()) return OptionalDouble.empty();
    return OptionalDouble.of(Double.parseDouble(found.group().replace(",", "")));
  }
}
