package io.headgate.server.http.check;

import io.headgate.CheckResult;
import io.headgate.rulefile.RuleStatus;

/** Determines the HTTP status of a result. */
final class ResultStatus {
  /** Returns 200, or the status of the rule that denied. */
  static int of(CheckResult result) {
    return result.isAllowed()
        ? 200
        : RuleStatus.of(result.rule().orElseThrow(), result.limit().orElseThrow().algorithm());
  }

  private ResultStatus() {}
}
