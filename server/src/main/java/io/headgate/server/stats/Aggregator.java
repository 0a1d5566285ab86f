package io.headgate.server.stats;

import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.counts.BucketRing;
import io.headgate.server.counts.CheckCounts;
import io.headgate.server.counts.CheckHistory;
import io.headgate.server.counts.CheckRing;
import io.headgate.server.counts.CheckSeries;
import io.headgate.server.counts.LatencyRing;
import io.headgate.server.counts.OutcomeCounts;
import io.headgate.server.counts.Resolution;
import io.headgate.server.counts.RuleTable;
import io.headgate.server.counts.SecondStats;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Sums the counts of all event loops, by time and by rule: each second of five minutes for {@value
 * #MAX_RULES} rules, and an hour and a day for {@value RuleTable#MAX_RULES} rules. The counts of
 * further rules are summed up as {@link #OTHER}. Not thread-safe.
 */
final class Aggregator {
  static final int RECENT_SECONDS = 10;
  static final int MAX_RULES = 1_000;

  /** The name of all rules without counts of their own; not a valid rule id. */
  static final String OTHER = "(other)";

  private static final int MINUTE = 60;
  private static final long DAY_SECONDS = 24 * 3_600;

  private final long started;
  private final CheckRing ring;
  private final CheckRing otherRing;
  private final Map<String, CheckRing> rules = new HashMap<>();
  private final CheckHistory history;
  private final CheckHistory otherHistory;
  private final RuleTable<CheckHistory> histories;
  private final Map<String, Long> lastDenials = new LastDenials(); // in seconds
  private final LatencyRing latencies = new LatencyRing();
  private final OutcomeCounts totals = new OutcomeCounts();
  private long uncounted; // since the last takeUncounted
  private long degraded; // since the last takeDegraded

  /**
   * @param started the first second to count
   */
  Aggregator(long started) {
    this.started = started;
    this.ring = new CheckRing(Resolution.SECONDS, started - 1);
    this.otherRing = new CheckRing(Resolution.SECONDS, started - 1);
    this.history = new CheckHistory(started);
    this.otherHistory = new CheckHistory(started);
    this.histories = new RuleTable<>(CheckHistory::new, otherHistory::addAll);
  }

  /** The time of the last denial of the rules that denied last. */
  private static final class LastDenials extends LinkedHashMap<String, Long> {
    private static final long serialVersionUID = 1;

    LastDenials() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
      return size() > MAX_RULES;
    }
  }

  /** Adds the counts of one thread and one second. */
  void add(ThreadCounts counts) {
    totals.add(counts.all);
    uncounted += counts.uncounted;
    degraded += counts.all.degraded;
    ring.add(counts.second, counts.all);
    history.add(counts.second, counts.all);
    latencies.add(counts.second, counts.latencies);
    counts.byRule.forEach((rule, outcomes) -> add(rule, counts.second, outcomes));
    otherRing.add(counts.second, counts.otherRules);
    otherHistory.add(counts.second, counts.otherRules);
  }

  private void add(String rule, long second, OutcomeCounts outcomes) {
    ring(rule, second).add(second, outcomes);
    histories.use(rule, second).orElse(otherHistory).add(second, outcomes);
    if (outcomes.denied + outcomes.shadowDenied > 0) lastDenials.merge(rule, second, Math::max);
  }

  private CheckRing ring(String rule, long second) {
    var known = rules.get(rule);
    if (known != null) return known;
    if (rules.size() == MAX_RULES) return otherRing;
    var added = new CheckRing(Resolution.SECONDS, second);
    rules.put(rule, added);
    return added;
  }

  /** Advances to this second and drops the counts of rules that are no longer kept. */
  void advance(long second) {
    ring.advance(second);
    rules.values().removeIf(ring -> ring.isExpired(second));
    histories.expire(second, DAY_SECONDS);
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
    var series = new ArrayList<SecondStats>(BucketRing.SECONDS);
    for (long second = last - BucketRing.SECONDS + 1; second <= last; second++) {
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

  /** Returns the checks of all rules together. */
  CheckSeries series(Resolution resolution, long last) {
    return series(resolution, last, ring, history);
  }

  /** Returns the checks of a rule or, for {@link #OTHER}, of the rules without their own counts. */
  CheckSeries series(Resolution resolution, long last, String rule) {
    if (rule.equals(OTHER)) return series(resolution, last, otherRing, otherHistory);
    var none = CheckSeries.none(resolution, last);
    return switch (resolution) {
      case SECONDS ->
          Optional.ofNullable(rules.get(rule)).map(own -> own.series(last)).orElse(none);
      case TEN_SECONDS -> histories.find(rule).map(own -> own.hour(last)).orElse(none);
      case MINUTES -> histories.find(rule).map(own -> own.day(last)).orElse(none);
    };
  }

  private static CheckSeries series(
      Resolution resolution, long last, CheckRing seconds, CheckHistory longer) {
    return switch (resolution) {
      case SECONDS -> seconds.series(last);
      case TEN_SECONDS -> longer.hour(last);
      case MINUTES -> longer.day(last);
    };
  }

  /** Returns whether the counts of a rule are not among those of {@link #OTHER}. */
  boolean isTracked(Resolution resolution, String rule) {
    if (rule.equals(OTHER)) return true;
    return switch (resolution) {
      case SECONDS -> rules.containsKey(rule) || rules.size() < MAX_RULES;
      case TEN_SECONDS, MINUTES -> histories.find(rule).isPresent() || !histories.isFull();
    };
  }

  /** Returns whether a rule has counts. */
  boolean has(String rule) {
    return rule.equals(OTHER) || rules.containsKey(rule) || histories.find(rule).isPresent();
  }

  /** Returns the checks of a rule in the last minute. */
  CheckCounts lastMinute(String rule, long last) {
    if (rule.equals(OTHER)) return otherRing.sum(last, MINUTE);
    var own = rules.get(rule);
    return own == null || last - own.newest() >= MINUTE ? CheckCounts.NONE : own.sum(last, MINUTE);
  }

  /** Returns the second in which a rule last denied, or would have denied in shadow mode. */
  OptionalLong lastDenial(String rule) {
    var second = lastDenials.get(rule);
    return second == null ? OptionalLong.empty() : OptionalLong.of(second);
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
