package io.headgate.http;

import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.LimitReport;
import io.headgate.limit.Algorithm;
import io.headgate.store.Ticker;
import java.nio.charset.StandardCharsets;
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

  /** Receives header fields. */
  @FunctionalInterface
  public interface Receiver {
    /**
     * Called for each field. The bytes of the value are not changed afterwards.
     *
     * @param from the index of the first byte of the value
     * @param length the number of its bytes, which are ASCII
     */
    void accept(RateLimitField field, byte[] bytes, int from, int length);
  }

  /**
   * Writes the headers of a result as texts, like {@link #writeBytes}.
   *
   * @param out receives each field and its value
   */
  public void write(CheckResult result, long waited, BiConsumer<RateLimitField, CharSequence> out) {
    writeBytes(
        result,
        waited,
        (field, bytes, from, length) ->
            out.accept(field, new String(bytes, from, length, StandardCharsets.ISO_8859_1)));
  }

  /**
   * Writes the headers of a result. Figures that are unknown, because the store is unavailable, are
   * left out.
   *
   * @param waited the time in microseconds for which the request has already been delayed
   * @param out receives each field and its value
   */
  public void writeBytes(CheckResult result, long waited, Receiver out) {
    long retry = result.isAllowed() ? 0 : retryAfter(result.decision());
    var value = new FieldComposer(out);
    var limits = result.limits();
    for (int i = 0; i < limits.size(); i++) {
      var report = limits.get(i);
      if (report.enforced() && hasQuota(report)) appendPolicy(value, report);
    }
    value.end(RateLimitField.POLICY);
    for (int i = 0; i < limits.size(); i++) {
      var report = limits.get(i);
      if (!report.enforced() || !hasQuota(report) || !report.isKnown()) continue;
      long reset = RoundedTimes.remaining(report.resetAfter(), waited);
      appendCurrent(value, report, report.violated() && retry > 0 ? retry : reset);
    }
    value.end(RateLimitField.CURRENT);
    var limit = result.limit();
    if (limit.isPresent() && hasQuota(limit.get())) writeLegacy(value, limit.get(), waited);
    if (result.isAllowed()) return;
    value.append(NO_STORE).end(RateLimitField.CACHE_CONTROL);
    if (retry > 0) value.append(RoundedTimes.seconds(retry)).end(RateLimitField.RETRY_AFTER);
  }

  private static long retryAfter(Decision decision) {
    return decision instanceof Decision.Denied denied && !denied.isEndless()
        ? RoundedTimes.micros(denied.retryAfter())
        : 0;
  }

  private static boolean hasQuota(LimitReport report) {
    return report.algorithm() != Algorithm.DENY && report.algorithm() != Algorithm.SHED;
  }

  private void writeLegacy(FieldComposer value, LimitReport limit, long waited) {
    value.append(limit.limit()).end(RateLimitField.LEGACY_LIMIT);
    if (!limit.isKnown()) return;
    long reset = ticker.micros() + RoundedTimes.remaining(limit.resetAfter(), waited);
    value.append(limit.remaining()).end(RateLimitField.LEGACY_REMAINING);
    value.append(RoundedTimes.seconds(reset)).end(RateLimitField.LEGACY_RESET);
  }

  private static void appendPolicy(FieldComposer out, LimitReport report) {
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

  private static void appendCurrent(FieldComposer out, LimitReport report, long untilMore) {
    name(out, report)
        .append(";r=")
        .append(Math.min(MAX_INTEGER, report.remaining()))
        .append(";t=")
        .append(RoundedTimes.seconds(untilMore));
  }

  private static FieldComposer name(FieldComposer out, LimitReport report) {
    if (!out.isEmpty()) out.append(',');
    return out.append('"').append(report.policy()).append('"');
  }
}
