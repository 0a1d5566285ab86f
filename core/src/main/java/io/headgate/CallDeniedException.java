package io.headgate;

/**
 * Thrown by {@link RateLimiter#call} instead of the call, if the request was denied. Nothing was
 * charged.
 */
public final class CallDeniedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient CheckResult result;

  CallDeniedException(CheckResult result) {
    super("the call was denied: " + result);
    this.result = result;
  }

  /** Returns the result of the check, with the rule that denied and the retry time. */
  public CheckResult result() {
    return result;
  }
}
