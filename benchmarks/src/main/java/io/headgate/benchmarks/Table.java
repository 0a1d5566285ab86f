package io.headgate.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** A Markdown table with a first column of text and further columns of numbers. */
public final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  /** Creates a table with the names of its columns. */
  public Table(String... columns) {
    rows.add(List.of(columns));
    var alignment = new ArrayList<String>();
    for (int i = 0; i < columns.length; i++) alignment.add(i == 0 ? "---" : "--:");
    rows.add(alignment);
  }

  /** Adds a row; throws {@link IllegalArgumentException} if it has another number of cells. */
  public void row(List<String> cells) {
    if (cells.size() != rows.getFirst().size()) {
      throw new IllegalArgumentException("%s does not fit %s".formatted(cells, rows.getFirst()));
    }
    rows.add(List.copyOf(cells));
  }

  /** Adds a row, as {@link #row(List)} does. */
  public void row(String... cells) {
    row(List.of(cells));
  }

  @Override
  public String toString() {
    var text = new StringBuilder();
    for (var row : rows) text.append("| ").append(String.join(" | ", row)).append(" |\n");
    return text.toString();
  }
}
