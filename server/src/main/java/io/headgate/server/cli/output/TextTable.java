package io.headgate.server.cli.output;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Columns side by side, as wide as they need or, on a terminal, as it has room. */
public final class TextTable {
  private static final String GAP = "  ";
  private static final int NARROWEST = 8;

  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... header) {
    rows.add(List.of(header));
  }

  public void add(String... cells) {
    rows.add(Arrays.stream(cells).map(Printable::of).toList());
  }

  public void print(CommandContext around) {
    var widths = widths();
    around.person().ifPresent(person -> narrow(widths, person.width()));
    for (int i = 0; i < rows.size(); i++) {
      String line = line(rows.get(i), widths);
      around.out().println(i == 0 ? around.faint(line) : line);
    }
  }

  private int[] widths() {
    var widths = new int[rows.getFirst().size()];
    for (var row : rows) {
      for (int i = 0; i < widths.length; i++) widths[i] = Math.max(widths[i], row.get(i).length());
    }
    return widths;
  }

  /** Takes from the widest, again and again, until all fit. */
  private static void narrow(int[] widths, int room) {
    int free = room - GAP.length() * (widths.length - 1);
    while (Arrays.stream(widths).sum() > free) {
      int widest = 0;
      for (int i = 1; i < widths.length; i++) if (widths[i] > widths[widest]) widest = i;
      if (widths[widest] <= NARROWEST) return;
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
