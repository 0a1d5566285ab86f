package io.headgate.server.api;

/**
 * Ends the handling of a request with a problem document. Has no stack trace, since it reports a
 * client error and not a failure of the service.
 */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient ProblemDocument problem;

  /** Creates an exception whose message is the problem's detail. */
  public ProblemException(ProblemDocument problem) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
  }

  /**
   * Creates a problem with status 400 for one field.
   *
   * @param flaw the message without the name of the field, such as {@code must be 0 to 10, got 11}
   */
  public static ProblemException badInput(String field, String flaw) {
    return new ProblemException(ProblemDocument.of(400, field, field + " " + flaw));
  }

  public ProblemDocument problem() {
    return problem;
  }
}
