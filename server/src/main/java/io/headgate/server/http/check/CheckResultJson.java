package io.headgate.server.http.check;

import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.LimitReport;
import io.headgate.http.DenialProblem;
import io.headgate.http.ResultStatus;
import io.headgate.http.RoundedTimes;
import io.headgate.server.api.FailurePolicyText;
import io.headgate.server.api.JsonWriter;
import io.headgate.store.Source;

/** Writes results as JSON, in the documented order of fields. */
public final class CheckResultJson {
  /** Why a region denies although the limit may have permits left. */
  private static final String HOME_UNREACHABLE = "home-unreachable";

  /**
   * Writes a result.
   *
   * @param waited the time in microseconds for which the request has already been delayed
   * @param charged false for a peek, which acquires no slots
   */
  static void write(JsonWriter out, CheckResult result, long waited, boolean charged) {
    out.begin();
    writeFields(out, result, waited, charged);
    out.end();
  }

  /** Writes a denial with the fields of a problem document added. */
  static void writeProblem(JsonWriter out, CheckResult result, boolean charged) {
    out.begin();
    writeFields(out, result, 0, charged);
    writeProblemFields(out, result, ResultStatus.of(result));
    out.end();
  }

  /** Writes the fields of a problem document. A rule that denies every request has no quota. */
  static void writeProblemFields(JsonWriter out, CheckResult result, int status) {
    var problem = DenialProblem.of(result, status);
    out.name("type").value(problem.type());
    out.name("title").value(problem.title());
    out.name("status").value(status);
    out.name("violated-policies").value(problem.violatedPolicies());
  }

  /** Writes the fields of a result into an object that has been begun. */
  static void writeFields(JsonWriter out, CheckResult result, long waited, boolean charged) {
    out.name("allowed").value(result.isAllowed());
    var rule = result.rule();
    var limit = result.limit();
    if (rule.isPresent()) out.name("rule").value(rule.get().id());
    else out.name("rule").nullValue();
    if (limit.isPresent()) {
      out.name("limit").value(limit.get().limit());
      writeRemaining(out, limit.get());
    } else {
      out.name("limit").nullValue().name("remaining").nullValue();
    }
    var decision = result.decision();
    writeRetry(out.name("retryAfterMs"), decision);
    if (limit.isPresent()) writeReset(out, limit.get(), waited);
    else out.name("resetAfterMs").value(0);
    out.name("delayMs").value(RoundedTimes.millis(RoundedTimes.micros(result.delay())));
    out.name("source").value(source(result.source()));
    limit.ifPresent(report -> writePolicy(out, report));
    if (result.source() == Source.REGION) out.name("reason").value(HOME_UNREACHABLE);
    out.name("violated").value(result.violated());
    out.name("limits").beginList();
    for (var report : result.limits()) writeLimit(out, report, waited);
    out.endList();
    if (decision instanceof Decision.Impossible) out.name("impossible").value(true);
    if (charged) result.slotId().ifPresent(slot -> out.name("id").value(slot));
    var shadow = result.shadowViolated();
    if (!shadow.isEmpty()) out.name("shadow").value(shadow);
  }

  private static void writeRetry(JsonWriter out, Decision decision) {
    switch (decision) {
      case Decision.Allowed allowed -> out.value(0);
      case Decision.Delayed delayed -> out.value(0);
      case Decision.Denied denied when denied.isEndless() -> out.nullValue();
      case Decision.Denied(var retryAfter) ->
          out.value(RoundedTimes.millis(RoundedTimes.micros(retryAfter)));
      case Decision.Impossible impossible -> out.nullValue();
    }
  }

  /** Writes the report of one limit. */
  static void writeLimit(JsonWriter out, LimitReport report, long waited) {
    out.begin();
    out.name("rule").value(report.rule());
    out.name("name").value(report.name());
    out.name("algorithm").value(report.algorithm().id());
    out.name("limit").value(report.limit());
    var range = report.range();
    if (range.isPresent()) {
      out.name("min").value(range.get().min()).name("max").value(range.get().max());
    }
    writeRemaining(out, report);
    writeReset(out, report, waited);
    writePolicy(out, report);
    if (!report.enforced()) out.name("shadow").value(true);
    out.end();
  }

  private static void writeRemaining(JsonWriter out, LimitReport report) {
    out.name("remaining");
    if (report.isKnown()) out.value(report.remaining());
    else out.nullValue();
  }

  private static void writeReset(JsonWriter out, LimitReport report, long waited) {
    out.name("resetAfterMs");
    if (!report.isKnown()) out.nullValue();
    else out.value(RoundedTimes.millis(RoundedTimes.remaining(report.resetAfter(), waited)));
  }

  /** Writes the failure policy that decided because the store is unavailable, if one did. */
  private static void writePolicy(JsonWriter out, LimitReport report) {
    report
        .onStoreFailure()
        .ifPresent(policy -> out.name("onStoreFailure").value(FailurePolicyText.of(policy)));
  }

  private static String source(Source source) {
    return switch (source) {
      case STORE -> "store";
      case LEASE -> "lease";
      case CACHE -> "cache";
      case FALLBACK -> "fallback";
      case REGION -> "region";
    };
  }

  private CheckResultJson() {}
}
