package io.headgate.spring;

/** Thrown at the start if rules are not valid. The message has one line per problem. */
public final class InvalidRulesException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** One line per problem. */
  private final String problems;

  /** Where the rules come from. */
  private final String source;

  /** How to correct them. */
  private final String action;

  InvalidRulesException(String source, String problems, String action, Throwable cause) {
    super(problems, cause);
    this.problems = problems;
    this.source = source;
    this.action = action;
  }

  String problems() {
    return problems;
  }

  String source() {
    return source;
  }

  String action() {
    return action;
  }
}
