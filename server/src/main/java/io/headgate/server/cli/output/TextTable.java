package io.headgate.server.cli.output;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table with aligned columns, narrowed to the width of an interactive terminal. */
public final class TextTable {
  private static final String GAP = "  ";
  private static final int MIN_WIDTH = 8;

  private final List<List<String>> rows = new ArrayList<>();

  /** Creates a table with a header row. */
  public TextTable(String... header) {
    rows.add(List.of(header));
  }

  /** Adds a row; its cells are escaped with {@link Printable}. */
  public void add(String... cells) {
    rows.add(Arrays.stream(cells).map(Printable::of).toList());
  }

  /** Prints the table. */
  public void print(CommandContext context) {
    var widths = widths();
    context.terminal().ifPresent(terminal -> narrow(widths, terminal.width()));
    for (int i = 0; i < rows.size(); i++) {
      String line = line(rows.get(i), widths);
      context.out().println(i == 0 ? context.faint(line) : line);
    }
  }

  private int[] widths() {
    var widths = new int[rows.getFirst().size()];
    for (var row : rows) {
      for (int i = 0; i < widths.length; i++) widths[i] = Math.max(widths[i], row.get(i).length());
    }
    return widths;
  }

  /** Narrows the widest column repeatedly until the table fits. */
  private static void narrow(int[] widths, int available) {
    int remaining = available - GAP.length() * (widths.length - 1);
    while (Arrays.stream(widths).sum() > remaining) {
      int widest = 0;
      for (int i = 1; i < widths.length; i++) if (widths[i] > widths[widest]) widest = i;
      if (widths[widest] <= MIN_WIDTH) return;
      widths[widest]--;
    }
  }

  private static String line(List<String> cells, int[] widths) {
    var line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      if (i > 0) line.append(GAP);
      String cell = cells.get(i);
      line.append(cell.length() <= widths[i] ? cell : cell.substring(0, widths[i] - 1) + "…");
      line.append(" ".repeat(Math.max(0, widths[i] - cell.length())));
    }
    return line.toString().stripTrailing();
  }
}
