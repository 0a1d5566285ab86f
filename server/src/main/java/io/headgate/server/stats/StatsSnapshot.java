package io.headgate.server.stats;

import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.counts.CheckCounts;
import io.headgate.server.counts.Percentiles;
import io.headgate.server.counts.SecondStats;
import java.util.List;

/**
 * Statistics of the service up to the last completed second. Immutable.
 *
 * @param atMillis end of that second, in milliseconds since the epoch
 * @param recent counts of the last {@code recentSeconds}
 * @param totals counts since the start
 * @param unmatched checks to which no enforced rule applied
 * @param latency percentiles of the last minute
 * @param series each second of the last five minutes, oldest first
 * @param byRule counts of the last {@code recentSeconds}, busiest rule first
 * @param anomalies open, or ended within the last hour, newest first
 */
public record StatsSnapshot(
    long atMillis,
    int recentSeconds,
    CheckCounts recent,
    CheckCounts totals,
    Unmatched unmatched,
    Percentiles latency,
    List<SecondStats> series,
    List<RuleStats> byRule,
    List<Anomaly> anomalies) {

  /** Checks to which no enforced rule applied: in the last {@code recentSeconds}, and in all. */
  public record Unmatched(long recent, long total) {}

  /** Counts of one rule. */
  public record RuleStats(String rule, CheckCounts counts) {}

  /** Returns the last completed second. */
  public SecondStats newest() {
    return series.getLast();
  }
}
