package io.headgate.server.http.check;

import io.headgate.Decision;
import io.headgate.LimitReport;
import io.headgate.CheckResult;
import io.headgate.store.Source;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.RoundedTimes;

/** The body of a decision, in the order in which its fields are documented. */
public final class CheckResultJson {
  static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  /**
   * @param waited the microseconds that the caller has already waited for its slot
   * @param charged false of a peek, which takes no slots that could be given back
   */
  static void write(JsonWriter out, CheckResult verdict, long waited, boolean charged) {
    out.begin();
    writeFields(out, verdict, waited, charged);
    out.end();
  }

  /** A denial that is a problem document too. */
  static void writeProblem(JsonWriter out, CheckResult verdict, boolean charged) {
    out.begin();
    writeFields(out, verdict, 0, charged);
    out.name("type").value(QUOTA_EXCEEDED);
    out.name("title").value("Quota exceeded");
    out.name("status").value(verdict.status());
    out.name("violated-policies").value(verdict.violated());
    out.end();
  }

  private static void writeFields(JsonWriter out, CheckResult verdict, long waited, boolean charged) {
    out.name("allowed").value(verdict.isAllowed());
    var rule = verdict.rule();
    var limit = verdict.limit();
    if (rule.isPresent() && limit.isPresent()) {
      out.name("rule").value(rule.get().id());
      out.name("limit").value(limit.get().limit());
      out.name("remaining").value(limit.get().remaining());
    } else {
      out.name("rule").nothing().name("limit").nothing().name("remaining").nothing();
    }
    var decision = verdict.decision();
    writeRetry(out.name("retryAfterMs"), decision);
    long reset = limit.isPresent() ? RoundedTimes.rest(limit.get().resetAfter(), waited) : 0;
    out.name("resetAfterMs").value(RoundedTimes.millis(reset));
    out.name("delayMs").value(RoundedTimes.millis(RoundedTimes.micros(verdict.delay())));
    out.name("evidence").value(evidence(verdict.evidence()));
    out.name("violated").value(verdict.violated());
    out.name("limits").beginList();
    for (var report : verdict.limits()) writeLimit(out, report, waited);
    out.endList();
    if (decision instanceof Decision.Impossible) out.name("impossible").value(true);
    if (charged) verdict.lease().ifPresent(lease -> out.name("lease").value(lease));
    var shadow = verdict.shadowViolated();
    if (!shadow.isEmpty()) out.name("shadow").value(shadow);
  }

  private static void writeRetry(JsonWriter out, Decision decision) {
    switch (decision) {
      case Decision.Allowed allowed -> out.value(0);
      case Decision.Delayed delayed -> out.value(0);
      case Decision.Denied(var retryAfter) -> out.value(RoundedTimes.millis(RoundedTimes.micros(retryAfter)));
      case Decision.Impossible impossible -> out.nothing();
    }
  }

  static void writeLimit(JsonWriter out, LimitReport report, long waited) {
    out.begin();
    out.name("rule").value(report.rule());
    out.name("name").value(report.name());
    out.name("algorithm").value(report.algorithm());
    out.name("limit").value(report.limit());
    out.name("remaining").value(report.remaining());
    out.name("resetAfterMs").value(RoundedTimes.millis(RoundedTimes.rest(report.resetAfter(), waited)));
    if (!report.enforced()) out.name("shadow").value(true);
    out.end();
  }

  private static String evidence(Source evidence) {
    return switch (evidence) {
      case STORE -> "store";
      case LEASE -> "lease";
      case LOCAL -> "local";
      case FALLBACK -> "fallback";
    };
  }

  private CheckResultJson() {}
}
