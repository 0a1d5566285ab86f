package io.headgate.server.stats;

import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.counts.CheckCounts;
import io.headgate.server.counts.Percentiles;
import io.headgate.server.counts.SecondStats;
import java.util.List;

/**
 * How the service does, up to the second that ended last.
 *
 * @param recent of the last {@code recentSeconds}
 * @param totals since the start
 * @param latency of the last minute
 * @param series each second of the last five minutes, oldest first
 * @param byRule of the last {@code recentSeconds}, the busiest first
 * @param anomalies open, or ended within the hour, newest first
 */
public record StatsSnapshot(
    long atMillis,
    int recentSeconds,
    CheckCounts recent,
    CheckCounts totals,
    Percentiles latency,
    List<SecondStats> series,
    List<OfRule> byRule,
    List<Anomaly> anomalies) {

  /** What one rule had part in. */
  public record OfRule(String rule, CheckCounts counts) {}

  /** The second that ended last. */
  public SecondStats newest() {
    return series.getLast();
  }
}
