package io.headgate.http;

import io.headgate.CheckResult;
import io.headgate.rulefile.RuleStatus;

/** Determines the HTTP status of a result. */
public final class ResultStatus {
  /** Returns 200, or the status of the rule that denied. */
  public static int of(CheckResult result) {
    return result.isAllowed()
        ? 200
        : RuleStatus.of(result.rule().orElseThrow(), result.limit().orElseThrow().algorithm());
  }

  private ResultStatus() {}
}
