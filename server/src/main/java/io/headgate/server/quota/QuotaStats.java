package io.headgate.server.quota;

import java.util.List;

/**
 * Figures of quota assignments, for metrics and statistics.
 *
 * @param streams the open streams
 * @param buckets the buckets of all streams
 * @param outstanding the permits that proxies may have spent without a report, or may still spend
 * @param admitted the requests that proxies have reported as admitted
 * @param denied the requests that proxies have reported as denied
 * @param clamped the requests of reports beyond what a proxy can have admitted or denied, which
 *     count nowhere else
 * @param unassigned those of the admitted ones that were not covered by an assignment
 * @param expired the permits that were charged because no report arrived within their lifetime
 * @param rules the figures by rule
 */
public record QuotaStats(
    long streams,
    long buckets,
    long outstanding,
    long admitted,
    long denied,
    long clamped,
    long unassigned,
    long expired,
    List<QuotaRuleStats> rules) {
  public static final QuotaStats NONE = new QuotaStats(0, 0, 0, 0, 0, 0, 0, 0, List.of());

  /** Copies the list. */
  public QuotaStats {
    rules = List.copyOf(rules);
  }
}
