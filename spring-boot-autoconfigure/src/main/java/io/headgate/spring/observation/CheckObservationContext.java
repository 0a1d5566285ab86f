package io.headgate.spring.observation;

import io.headgate.CheckResult;
import io.headgate.rule.Request;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * The context of the observation of one check. It has the request, for conventions of the
 * application. The default convention does not use it, since subjects do not belong into traces.
 * Not thread-safe.
 */
public final class CheckObservationContext extends Observation.Context {
  private final Request request;
  private @Nullable CheckResult result;

  /** Creates the context of a check that has no result yet. */
  public CheckObservationContext(Request request) {
    this.request = request;
  }

  /** Returns the request that is checked. */
  public Request request() {
    return request;
  }

  /** Returns the result; null before the end of the check, and if it failed. */
  public @Nullable CheckResult result() {
    return result;
  }

  void setResult(CheckResult result) {
    this.result = result;
  }
}
