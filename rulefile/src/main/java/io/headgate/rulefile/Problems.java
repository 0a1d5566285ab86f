package io.headgate.rulefile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What has been found wrong so far. Keeps the first ones and counts the rest. */
final class Problems {
  private static final int MOST = 50;
  private static final int LONGEST_MESSAGE = 1000;

  private final List<Problem> first = new ArrayList<>();
  private final Place start;
  private int count;

  Problems() {
    this(Place.START);
  }

  /**
   * @param start where the text that is read begins in the one that it was cut from
   */
  Problems(Place start) {
    this.start = start;
  }

  void add(Place at, String path, String message) {
    count++;
    if (first.size() == MOST) return;
    String shown = Quoted.shown(message, LONGEST_MESSAGE); // it may quote what the file says
    var there = at.from(start);
    first.add(new Problem(there.line(), there.column(), path, shown));
  }

  int count() {
    return count;
  }

  void throwIfAny(String source) {
    if (count == 0) return;
    first.sort(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column));
    throw new RuleFileException(source, first, count - first.size());
  }
}
