package io.headgate.server.http.check;

import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.LimitReport;
import io.headgate.http.DenialProblem;
import io.headgate.http.ResultStatus;
import io.headgate.http.RoundedTimes;
import io.headgate.server.api.FailurePolicyText;
import io.headgate.server.api.JsonName;
import io.headgate.server.api.JsonWriter;
import io.headgate.store.Source;
import java.util.List;

/** Writes results as JSON, in the documented order of fields. */
public final class CheckResultJson {
  private static final JsonName ALLOWED = JsonName.of("allowed");
  private static final JsonName RULE = JsonName.of("rule");
  private static final JsonName LIMIT = JsonName.of("limit");
  private static final JsonName REMAINING = JsonName.of("remaining");
  private static final JsonName RETRY_AFTER_MS = JsonName.of("retryAfterMs");
  private static final JsonName RESET_AFTER_MS = JsonName.of("resetAfterMs");
  private static final JsonName DELAY_MS = JsonName.of("delayMs");
  private static final JsonName SOURCE = JsonName.of("source");
  private static final JsonName REASON = JsonName.of("reason");
  private static final JsonName VIOLATED = JsonName.of("violated");
  private static final JsonName LIMITS = JsonName.of("limits");
  private static final JsonName IMPOSSIBLE = JsonName.of("impossible");
  private static final JsonName ID = JsonName.of("id");
  private static final JsonName SHADOW = JsonName.of("shadow");
  private static final JsonName NAME = JsonName.of("name");
  private static final JsonName ALGORITHM = JsonName.of("algorithm");
  private static final JsonName MIN = JsonName.of("min");
  private static final JsonName MAX = JsonName.of("max");
  private static final JsonName UNUSED_COSTS = JsonName.of("unusedCosts");
  private static final JsonName ON_STORE_FAILURE = JsonName.of("onStoreFailure");

  /** Why a region denies although the limit may have permits left. */
  private static final String HOME_UNREACHABLE = "home-unreachable";

  /**
   * Writes a result.
   *
   * @param waited the time in microseconds for which the request has already been delayed
   * @param charged false for a peek, which acquires no slots
   * @param unused the costs that no limit spends
   */
  static void write(
      JsonWriter out, CheckResult result, long waited, boolean charged, List<String> unused) {
    out.begin();
    writeFields(out, result, waited, charged);
    writeUnused(out, unused);
    out.end();
  }

  /** Writes a denial with the fields of a problem document added. */
  static void writeProblem(
      JsonWriter out, CheckResult result, boolean charged, List<String> unused) {
    out.begin();
    writeFields(out, result, 0, charged);
    writeUnused(out, unused);
    writeProblemFields(out, result, ResultStatus.of(result));
    out.end();
  }

  /** Writes the names of the costs that no limit spends, if there are any. */
  static void writeUnused(JsonWriter out, List<String> unused) {
    if (!unused.isEmpty()) out.name(UNUSED_COSTS).value(unused);
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
    out.name(ALLOWED).value(result.isAllowed());
    var rule = result.rule();
    var limit = result.limit();
    if (rule.isPresent()) out.name(RULE).value(rule.get().id());
    else out.name(RULE).nullValue();
    if (limit.isPresent()) {
      out.name(LIMIT).value(limit.get().limit());
      writeRemaining(out, limit.get());
    } else {
      out.name(LIMIT).nullValue().name(REMAINING).nullValue();
    }
    writeRetry(out.name(RETRY_AFTER_MS), result);
    if (limit.isPresent()) writeReset(out, limit.get(), waited);
    else out.name(RESET_AFTER_MS).value(0);
    out.name(DELAY_MS).value(RoundedTimes.millis(RoundedTimes.micros(result.delay())));
    out.name(SOURCE).value(source(result.source()));
    if (limit.isPresent()) writePolicy(out, limit.get());
    if (result.source() == Source.REGION) out.name(REASON).value(HOME_UNREACHABLE);
    out.name(VIOLATED).value(result.violated());
    out.name(LIMITS).beginList();
    var limits = result.limits();
    for (int i = 0; i < limits.size(); i++) writeLimit(out, limits.get(i), waited);
    out.endList();
    if (!result.isAllowed() && result.decision() instanceof Decision.Impossible) {
      out.name(IMPOSSIBLE).value(true);
    }
    if (charged) result.slotId().ifPresent(slot -> out.name(ID).value(slot));
    var shadow = result.shadowViolated();
    if (!shadow.isEmpty()) out.name(SHADOW).value(shadow);
  }

  private static void writeRetry(JsonWriter out, CheckResult result) {
    if (result.isAllowed()) {
      out.value(0);
      return;
    }
    switch (result.decision()) {
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
    writeLimitFields(out, report, waited);
    out.end();
  }

  /** Writes the report of one limit into an object that has been begun. */
  static void writeLimitFields(JsonWriter out, LimitReport report, long waited) {
    out.name(RULE).value(report.rule());
    out.name(NAME).value(report.name());
    out.name(ALGORITHM).value(report.algorithm().id());
    out.name(LIMIT).value(report.limit());
    var range = report.range();
    if (range.isPresent()) {
      out.name(MIN).value(range.get().min()).name(MAX).value(range.get().max());
    }
    writeRemaining(out, report);
    writeReset(out, report, waited);
    writePolicy(out, report);
    if (!report.enforced()) out.name(SHADOW).value(true);
  }

  private static void writeRemaining(JsonWriter out, LimitReport report) {
    out.name(REMAINING);
    if (report.isKnown()) out.value(report.remaining());
    else out.nullValue();
  }

  private static void writeReset(JsonWriter out, LimitReport report, long waited) {
    out.name(RESET_AFTER_MS);
    if (!report.isKnown()) out.nullValue();
    else out.value(RoundedTimes.millis(RoundedTimes.remaining(report.resetAfter(), waited)));
  }

  /** Writes the failure policy that decided because the store is unavailable, if one did. */
  private static void writePolicy(JsonWriter out, LimitReport report) {
    report
        .onStoreFailure()
        .ifPresent(policy -> out.name(ON_STORE_FAILURE).value(FailurePolicyText.of(policy)));
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
