package io.headgate.server.api;

import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.LimitReport;
import io.headgate.limit.Algorithm;
import io.headgate.store.Ticker;
import io.vertx.core.http.HttpHeaders;
import java.util.function.BiConsumer;

/**
 * Writes a result as HTTP headers: the structured fields of draft-ietf-httpapi-ratelimit-headers,
 * and the older {@code X-RateLimit-*} headers. A rule that denies every request or sheds load has
 * no quota, so it has none of these headers. One that denies has no {@code Retry-After} either,
 * unless its schedule ends.
 *
 * <p>The name of a policy needs no escape: names of rules and limits consist of letters, digits and
 * a few characters other than quotes. Thread-safe.
 */
public final class RateLimitHeaders {
  private static final CharSequence POLICY = HttpHeaders.createOptimized("RateLimit-Policy");
  private static final CharSequence CURRENT = HttpHeaders.createOptimized("RateLimit");
  private static final CharSequence LIMIT = HttpHeaders.createOptimized("X-RateLimit-Limit");
  private static final CharSequence REMAINING =
      HttpHeaders.createOptimized("X-RateLimit-Remaining");
  private static final CharSequence RESET = HttpHeaders.createOptimized("X-RateLimit-Reset");
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

  private static final long MAX_INTEGER = 999_999_999_999_999L; // of structured fields (RFC 8941)

  private final Ticker ticker;

  /**
   * @param ticker the clock for {@code X-RateLimit-Reset}
   */
  public RateLimitHeaders(Ticker ticker) {
    this.ticker = ticker;
  }

  /**
   * Writes the headers of a result. Figures that are unknown, because the store is unavailable, are
   * left out.
   *
   * @param waited the time in microseconds for which the request has already been delayed
   * @param out receives each name and value
   */
  public void write(CheckResult result, long waited, BiConsumer<CharSequence, CharSequence> out) {
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
    if (!policies.isEmpty()) out.accept(POLICY, policies);
    if (!current.isEmpty()) out.accept(CURRENT, current);
    var limit = result.limit();
    if (limit.isPresent() && hasQuota(limit.get())) {
      writeLegacy(limit.get(), waited, out);
    }
    if (result.isAllowed()) return;
    out.accept(HttpHeaders.CACHE_CONTROL, NO_STORE);
    if (retry > 0) out.accept(HttpHeaders.RETRY_AFTER, Long.toString(RoundedTimes.seconds(retry)));
  }

  private static boolean hasQuota(LimitReport report) {
    return report.algorithm() != Algorithm.DENY && report.algorithm() != Algorithm.SHED;
  }

  private void writeLegacy(
      LimitReport limit, long waited, BiConsumer<CharSequence, CharSequence> out) {
    out.accept(LIMIT, Long.toString(limit.limit()));
    if (!limit.isKnown()) return;
    long reset = ticker.micros() + RoundedTimes.remaining(limit.resetAfter(), waited);
    out.accept(REMAINING, Long.toString(limit.remaining()));
    out.accept(RESET, Long.toString(RoundedTimes.seconds(reset)));
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
