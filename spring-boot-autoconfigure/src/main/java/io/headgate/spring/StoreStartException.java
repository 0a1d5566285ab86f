package io.headgate.spring;

/** Thrown at the start if the store can't be used. The message contains no secrets. */
public final class StoreStartException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** How to correct it. */
  private final String action;

  /** Creates the exception, with what to do about the problem. */
  public StoreStartException(String problem, String action) {
    super(problem);
    this.action = action;
  }

  String action() {
    return action;
  }
}
