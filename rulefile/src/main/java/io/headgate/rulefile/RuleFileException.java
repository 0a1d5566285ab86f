package io.headgate.rulefile;

import java.util.List;
import java.util.StringJoiner;

/** Says everything that is wrong with a rule file, a line each. Nothing of the file was taken. */
public final class RuleFileException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<RuleProblem> problems;
  private final int more;

  /**
   * @param source what to call the text in messages; empty if it has no name
   * @param more how many problems there are beside those listed
   */
  RuleFileException(String source, List<RuleProblem> problems, int more) {
    super(text(source, problems, more));
    this.problems = List.copyOf(problems);
    this.more = more;
  }

  /** In the order of the text; of a file with very many, the first ones found. */
  public List<RuleProblem> problems() {
    return problems;
  }

  /** How many problems there are beside those listed. */
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
