package io.headgate.server.api;

/** Ends the handling of a request that can't be served. Has no stack trace: it is no failure. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient ProblemDocument problem;

  public ProblemException(ProblemDocument problem) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
  }

  /**
   * @param flaw goes on where the field's name ends: {@code must be 0 to 10, got 11}
   */
  public static ProblemException badInput(String field, String flaw) {
    return new ProblemException(ProblemDocument.of(400, field, field + " " + flaw));
  }

  public ProblemDocument problem() {
    return problem;
  }
}
