package io.headgate.http;

import io.headgate.CheckResult;
import io.headgate.rule.Request;

/**
 * Is notified of each decision, for metrics. Called on the thread that made the decision, so
 * implementations must be thread-safe and must not throw or block.
 */
@FunctionalInterface
public interface CheckListener {
  /** Ignores all decisions. */
  CheckListener NONE = (request, result, nanos) -> {};

  /**
   * Handles a decision.
   *
   * @param nanos how long the decision took
   */
  void checked(Request request, CheckResult result, long nanos);
}
