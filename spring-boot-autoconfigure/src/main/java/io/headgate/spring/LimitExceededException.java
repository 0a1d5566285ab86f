package io.headgate.spring;

import io.headgate.CheckResult;
import io.headgate.Decision;
import java.time.Duration;
import java.util.Optional;

/**
 * Thrown instead of the call of a method with {@link Limited}, if the call is denied. Nothing was
 * charged. In a web request that does not handle it, it becomes a response with the status of the
 * rule, {@code Retry-After} and a problem document.
 */
public final class LimitExceededException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient CheckResult result;

  /** Creates the exception of a denied call. */
  public LimitExceededException(String method, CheckResult result) {
    super("the call of %s was denied: %s".formatted(method, result));
    this.result = result;
  }

  /** Returns the result of the check. */
  public CheckResult result() {
    return result;
  }

  /** Returns the time after which the call passes; empty if waiting does not help. */
  public Optional<Duration> retryAfter() {
    return result.decision() instanceof Decision.Denied denied && !denied.isEndless()
        ? Optional.of(denied.retryAfter())
        : Optional.empty();
  }
}
