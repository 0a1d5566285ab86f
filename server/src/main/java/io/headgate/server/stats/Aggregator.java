package io.headgate.server.stats;

import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.counts.CheckCounts;
import io.headgate.server.counts.CheckRing;
import io.headgate.server.counts.LatencyRing;
import io.headgate.server.counts.OutcomeCounts;
import io.headgate.server.counts.SecondRing;
import io.headgate.server.counts.SecondStats;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sums the counts of all event loops, by second and by rule. Not thread-safe. */
final class Aggregator {
  static final int RECENT_SECONDS = 10;
  static final int MAX_RULES = 1_000;

  private final long started;
  private final CheckRing ring;
  private final Map<String, CheckRing> rules = new HashMap<>();
  private final LatencyRing latencies = new LatencyRing();
  private final OutcomeCounts totals = new OutcomeCounts();
  private long uncounted; // since the last takeUncounted
  private long degraded; // since the last takeDegraded
  private final SecondRing unmatched;
  private long totalUnmatched;

  /**
   * @param started the first second to count
   */
  Aggregator(long started) {
    this.started = started;
    this.ring = new CheckRing(started - 1);
    this.unmatched = new SecondRing(started - 1, 1);
  }

  /** Adds the counts of one thread and one second. */
  void add(ThreadCounts counts) {
    totals.add(counts.all);
    uncounted += counts.uncounted;
    degraded += counts.all.degraded;
    totalUnmatched += counts.unmatched;
    unmatched.add(counts.second, 0, counts.unmatched);
    ring.add(counts.second, counts.all);
    latencies.add(counts.second, counts.latencies);
    counts.byRule.forEach((rule, outcomes) -> {
      var ruleRing = rules.get(rule);
      if (ruleRing == null) {
        if (rules.size() == MAX_RULES) return;
        ruleRing = new CheckRing(counts.second);
        rules.put(rule, ruleRing);
      }
      ruleRing.add(counts.second, outcomes);
    });
  }

  /**
   * Advances to this second and drops rules without checks for {@value SecondRing#SECONDS} seconds.
   */
  void advance(long second) {
    ring.advance(second);
    unmatched.advance(second);
    rules.values().removeIf(ring -> second - ring.newest() >= SecondRing.SECONDS);
  }

  CheckCounts at(long second) {
    return ring.at(second);
  }

  /** Returns the counts of each rule that has any in that second. */
  Map<String, CheckCounts> rulesAt(long second) {
    var found = new HashMap<String, CheckCounts>();
    rules.forEach((rule, ruleRing) -> {
      var counts = ruleRing.at(second);
      if (!counts.equals(CheckCounts.NONE)) found.put(rule, counts);
    });
    return found;
  }

  /** Returns and resets the number of checks allowed without being counted, including late ones. */
  long takeUncounted() {
    long taken = uncounted;
    uncounted = 0;
    return taken;
  }

  /** Returns and resets the number of checks that failure policies decided, including late ones. */
  long takeDegraded() {
    long taken = degraded;
    degraded = 0;
    return taken;
  }

  /** Builds the snapshot up to and including second {@code last}. */
  StatsSnapshot snapshot(long last, List<Anomaly> anomalies) {
    int recent = Math.clamp(last - started + 1, 1, RECENT_SECONDS);
    var series = new ArrayList<SecondStats>(SecondRing.SECONDS);
    for (long second = last - SecondRing.SECONDS + 1; second <= last; second++) {
      series.add(new SecondStats(second * 1_000, ring.at(second), latencies.at(second)));
    }
    return new StatsSnapshot(
        (last + 1) * 1_000,
        recent,
        ring.sum(last, recent),
        totals.counts(),
        new StatsSnapshot.Unmatched(recentUnmatched(last, recent), totalUnmatched),
        latencies.minute(last),
        List.copyOf(series),
        byRule(last, recent),
        anomalies);
  }

  private long recentUnmatched(long last, int seconds) {
    long sum = 0;
    for (long second = last - seconds + 1; second <= last; second++) sum += unmatched.at(second, 0);
    return sum;
  }

  private List<StatsSnapshot.RuleStats> byRule(long last, int recent) {
    var busy = new ArrayList<StatsSnapshot.RuleStats>();
    rules.forEach((rule, ruleRing) -> {
      if (last - ruleRing.newest() >= recent) return;
      var counts = ruleRing.sum(last, recent);
      if (counts.contributed()) busy.add(new StatsSnapshot.RuleStats(rule, counts));
    });
    busy.sort(
        Comparator.<StatsSnapshot.RuleStats>comparingLong(stats -> decided(stats.counts()))
            .reversed()
            .thenComparing(StatsSnapshot.RuleStats::rule));
    return List.copyOf(busy);
  }

  private static long decided(CheckCounts counts) {
    return counts.allowed() + counts.denied() + counts.shadowDenied();
  }
}
