package io.headgate.rulefile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the problems of a text: keeps the first 50 and counts the rest. Not thread-safe. */
final class ProblemCollector {
  private static final int MAX_PROBLEMS = 50;
  private static final int MAX_MESSAGE_LENGTH = 1000;

  private final List<RuleProblem> first = new ArrayList<>();
  private final SourcePosition start;
  private int count;

  ProblemCollector() {
    this(SourcePosition.START);
  }

  /**
   * Creates a collector for an excerpt of a longer text.
   *
   * @param start the position of the excerpt in the longer text
   */
  ProblemCollector(SourcePosition start) {
    this.start = start;
  }

  /** Adds a problem. */
  void add(SourcePosition at, String path, String message) {
    count++;
    if (first.size() == MAX_PROBLEMS) return;
    String shown = Excerpt.shown(message, MAX_MESSAGE_LENGTH); // it may contain text of the file
    var position = at.from(start);
    first.add(new RuleProblem(position.line(), position.column(), path, shown));
  }

  int count() {
    return count;
  }

  /**
   * Throws the problems, sorted by position.
   *
   * @param source the name of the text in messages; empty if it has none
   * @throws RuleFileException if there is any problem
   */
  void throwIfAny(String source) {
    if (count == 0) return;
    first.sort(Comparator.comparingInt(RuleProblem::line).thenComparingInt(RuleProblem::column));
    throw new RuleFileException(source, first, count - first.size());
  }
}
