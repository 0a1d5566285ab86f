package io.headgate.server.http;

/** Ends the handling of a request that can't be served. Has no stack trace: it is no failure. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Problem problem;

  Refusal(Problem problem) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
  }

  /**
   * @param flaw goes on where the field's name ends: {@code must be 0 to 10, got 11}
   */
  static Refusal badInput(String field, String flaw) {
    return new Refusal(Problem.of(400, field, field + " " + flaw));
  }

  Problem problem() {
    return problem;
  }
}
