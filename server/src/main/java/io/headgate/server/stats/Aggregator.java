package io.headgate.server.stats;

import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.counts.CheckCounts;
import io.headgate.server.counts.LatencyRing;
import io.headgate.server.counts.OutcomeCounts;
import io.headgate.server.counts.SecondRing;
import io.headgate.server.counts.SecondStats;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What all event loops have counted, by second and by rule. Not for several threads at once. */
final class Aggregator {
  static final int RECENT_SECONDS = 10;
  static final int MOST_RULES = 1_000;

  private final long started;
  private final SecondRing ring;
  private final Map<String, SecondRing> rules = new HashMap<>();
  private final LatencyRing latencies = new LatencyRing();
  private final OutcomeCounts totals = new OutcomeCounts();
  private long uncounted; // since that was asked last

  /**
   * @param started the first second there is to count
   */
  Aggregator(long started) {
    this.started = started;
    this.ring = new SecondRing(started - 1);
  }

  void add(ThreadCounts tally) {
    totals.add(tally.all);
    uncounted += tally.uncounted;
    ring.add(tally.second, tally.all);
    latencies.add(tally.second, tally.latencies);
    tally.byRule.forEach((rule, outcomes) -> {
      var known = rules.get(rule);
      if (known == null) {
        if (rules.size() == MOST_RULES) return;
        known = new SecondRing(tally.second);
        rules.put(rule, known);
      }
      known.add(tally.second, outcomes);
    });
  }

  /** Lets time pass up to this second; rules that had no part in anything for long are dropped. */
  void advance(long second) {
    ring.advance(second);
    rules.values().removeIf(of -> second - of.newest() >= SecondRing.SECONDS);
  }

  CheckCounts at(long second) {
    return ring.at(second);
  }

  /** Of each rule that had part in something in that second. */
  Map<String, CheckCounts> rulesAt(long second) {
    var found = new HashMap<String, CheckCounts>();
    rules.forEach((rule, of) -> {
      var counts = of.at(second);
      if (!counts.equals(CheckCounts.NONE)) found.put(rule, counts);
    });
    return found;
  }

  /** How many checks have passed uncounted since this was asked last, late ones included. */
  long takeUncounted() {
    long taken = uncounted;
    uncounted = 0;
    return taken;
  }

  StatsSnapshot figures(long last, List<Anomaly> anomalies) {
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
        latencies.minute(last),
        List.copyOf(series),
        byRule(last, recent),
        anomalies);
  }

  private List<StatsSnapshot.OfRule> byRule(long last, int recent) {
    var busy = new ArrayList<StatsSnapshot.OfRule>();
    rules.forEach((rule, of) -> {
      if (last - of.newest() >= recent) return;
      var counts = of.sum(last, recent);
      if (counts.hadPart()) busy.add(new StatsSnapshot.OfRule(rule, counts));
    });
    busy.sort(
        Comparator.<StatsSnapshot.OfRule>comparingLong(of -> decided(of.counts()))
            .reversed()
            .thenComparing(StatsSnapshot.OfRule::rule));
    return List.copyOf(busy);
  }

  private static long decided(CheckCounts counts) {
    return counts.allowed() + counts.denied() + counts.shadowDenied();
  }
}
