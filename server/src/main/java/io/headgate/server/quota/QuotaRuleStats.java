package io.headgate.server.quota;

/**
 * Figures of one rule in quota assignments, as proxies have reported them. A request counts for
 * each rule that applies to its bucket.
 *
 * @param rule the id of the rule
 * @param buckets the buckets that the rule applies to
 * @param assigned the permits that proxies may have spent without a report, or may still spend
 * @param admitted the requests that proxies have reported as admitted
 * @param denied the requests that proxies have reported as denied
 * @param wouldDeny of the admitted requests, those that exceed the limit of this rule, which is in
 *     shadow mode
 * @param expired the permits that were charged because no report arrived within their lifetime
 */
public record QuotaRuleStats(
    String rule,
    long buckets,
    long assigned,
    long admitted,
    long denied,
    long wouldDeny,
    long expired) {}
