package io.headgate.http;

import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.LimitReport;
import io.headgate.limit.Algorithm;
import io.headgate.store.Ticker;
import java.util.function.BiConsumer;

/**
 * Writes a result as HTTP header fields: the structured fields of
 * draft-ietf-httpapi-ratelimit-headers, and the older {@code X-RateLimit-*} headers. A rule that
 * denies every request or sheds load has no quota, so it has none of these headers. One that denies
 * has no {@code Retry-After} either, unless its schedule ends.
 *
 * <p>The name of a policy needs no escape: names of rules and limits consist of letters, digits and
 * a few characters other than quotes. Thread-safe.
 */
public final class RateLimitFields {

  private static final String NO_STORE = "no-store";

  private static final long MAX_INTEGER = 999_999_999_999_999L; // of structured fields (RFC 8941)

  private final Ticker ticker;

  /**
   * Creates a writer.
   *
   * @param ticker the clock for {@code X-RateLimit-Reset}
   */
  public RateLimitFields(Ticker ticker) {
    this.ticker = ticker;
  }

  /**
   * Writes the headers of a result. Figures that are unknown, because the store is unavailable, are
   * left out.
   *
   * @param waited the time in microseconds for which the request has already been delayed
   * @param out receives each field and its value
   */
  public void write(CheckResult result, long waited, BiConsumer<RateLimitField, CharSequence> out) {
    var retry =
        result.decision() instanceof Decision.Denied denied && !denied.isEndless()
            ? RoundedTimes.micros(denied.retryAfter())
            : 0;
    var policies = new StringBuilder();
    var current = new StringBuilder();
    for (var report : result.limits()) {
      if (!report.enforced() || !hasQuota(report)) continue;
      appendPolicy(policies, report);
      if (!report.isKnown()) continue;
      long reset = RoundedTimes.remaining(report.resetAfter(), waited);
      appendCurrent(current, report, report.violated() && retry > 0 ? retry : reset);
    }
    if (!policies.isEmpty()) out.accept(RateLimitField.POLICY, policies);
    if (!current.isEmpty()) out.accept(RateLimitField.CURRENT, current);
    var limit = result.limit();
    if (limit.isPresent() && hasQuota(limit.get())) {
      writeLegacy(limit.get(), waited, out);
    }
    if (result.isAllowed()) return;
    out.accept(RateLimitField.CACHE_CONTROL, NO_STORE);
    if (retry > 0)
      out.accept(RateLimitField.RETRY_AFTER, Long.toString(RoundedTimes.seconds(retry)));
  }

  private static boolean hasQuota(LimitReport report) {
    return report.algorithm() != Algorithm.DENY && report.algorithm() != Algorithm.SHED;
  }

  private void writeLegacy(
      LimitReport limit, long waited, BiConsumer<RateLimitField, CharSequence> out) {
    out.accept(RateLimitField.LEGACY_LIMIT, Long.toString(limit.limit()));
    if (!limit.isKnown()) return;
    long reset = ticker.micros() + RoundedTimes.remaining(limit.resetAfter(), waited);
    out.accept(RateLimitField.LEGACY_REMAINING, Long.toString(limit.remaining()));
    out.accept(RateLimitField.LEGACY_RESET, Long.toString(RoundedTimes.seconds(reset)));
  }

  private static void appendPolicy(StringBuilder out, LimitReport report) {
    name(out, report).append(";q=").append(Math.min(MAX_INTEGER, report.limit()));
    long window = RoundedTimes.micros(report.window());
    if (report.algorithm().hasSlots()) {
      out.append(";qu=\"concurrent-requests\"");
      return;
    }
    if (window > 0 && window % 1_000_000 == 0) out.append(";w=").append(window / 1_000_000);
    if (report.cost().isPresent() && report.cost().get().equals("bytes")) {
      out.append(";qu=\"content-bytes\"");
    }
  }

  private static void appendCurrent(StringBuilder out, LimitReport report, long untilMore) {
    name(out, report)
        .append(";r=")
        .append(Math.min(MAX_INTEGER, report.remaining()))
        .append(";t=")
        .append(RoundedTimes.seconds(untilMore));
  }

  private static StringBuilder name(StringBuilder out, LimitReport report) {
    if (!out.isEmpty()) out.append(',');
    return out.append('"').append(report.policy()).append('"');
  }
}
