package io.headgate.http;

import io.headgate.CallClassifier;
import io.headgate.load.CallOutcome;

/** Determines the outcome of an HTTP request, for the adaptive limits that learn from it. */
public final class RequestOutcome {
  /**
   * Returns the outcome of a response: 503 and 504 are dropped requests, other statuses from 500
   * are errors, and all below are successes.
   */
  public static CallOutcome ofStatus(int status) {
    if (status == 503 || status == 504) return CallOutcome.DROPPED;
    return status >= 500 ? CallOutcome.ERROR : CallOutcome.SUCCESS;
  }

  /** Returns the outcome of a request that failed, by {@link CallClassifier#ofException}. */
  public static CallOutcome ofException(Throwable failure) {
    return CallClassifier.ofException(failure);
  }

  private RequestOutcome() {}
}
