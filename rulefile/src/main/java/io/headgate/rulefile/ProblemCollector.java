package io.headgate.rulefile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What has been found wrong so far. Keeps the first ones and counts the rest. */
final class ProblemCollector {
  private static final int MOST = 50;
  private static final int LONGEST_MESSAGE = 1000;

  private final List<RuleProblem> first = new ArrayList<>();
  private final SourcePosition start;
  private int count;

  ProblemCollector() {
    this(SourcePosition.START);
  }

  /**
   * @param start where the text that is read begins in the one that it was cut from
   */
  ProblemCollector(SourcePosition start) {
    this.start = start;
  }

  void add(SourcePosition at, String path, String message) {
    count++;
    if (first.size() == MOST) return;
    String shown = Excerpt.shown(message, LONGEST_MESSAGE); // it may quote what the file says
    var there = at.from(start);
    first.add(new RuleProblem(there.line(), there.column(), path, shown));
  }

  int count() {
    return count;
  }

  void throwIfAny(String source) {
    if (count == 0) return;
    first.sort(Comparator.comparingInt(RuleProblem::line).thenComparingInt(RuleProblem::column));
    throw new RuleFileException(source, first, count - first.size());
  }
}
