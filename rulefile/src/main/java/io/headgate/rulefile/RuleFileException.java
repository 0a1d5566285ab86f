package io.headgate.rulefile;

import java.util.List;
import java.util.StringJoiner;

/**
 * Reports all problems of a rule file; the message has one line per problem. No part of the file
 * was used.
 */
public final class RuleFileException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<RuleProblem> problems;

  /** The number of problems beyond those listed. */
  private final int more;

  /**
   * @param source the name of the text in messages; empty if it has none
   * @param more the number of problems beyond those listed
   */
  RuleFileException(String source, List<RuleProblem> problems, int more) {
    super(text(source, problems, more));
    this.problems = List.copyOf(problems);
    this.more = more;
  }

  /** Returns the first problems found, at most 50, in the order of the text. */
  public List<RuleProblem> problems() {
    return problems;
  }

  /** Returns the number of problems beyond those listed. */
  public int more() {
    return more;
  }

  private static String text(String source, List<RuleProblem> problems, int more) {
    var lines = new StringJoiner("\n");
    for (var problem : problems)
      lines.add(source.isEmpty() ? "" + problem : source + ":" + problem);
    if (more > 0) lines.add("… and %d more".formatted(more));
    return lines.toString();
  }
}
