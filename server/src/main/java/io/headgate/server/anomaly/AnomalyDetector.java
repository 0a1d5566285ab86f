package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Kind;
import io.headgate.server.anomaly.AnomalyLog.Topic;
import io.headgate.server.counts.CheckCounts;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Detects anomalies in the statistics of consecutive seconds. Deterministic: it has no clock and no
 * threads, and time is an input. Not thread-safe.
 */
public final class AnomalyDetector {
  private static final int MAX_RULES = 200;
  private static final long EXPIRY_SECONDS = 2 * 24 * 3_600;

  private static final class RuleMonitors {
    final RateMonitor rate;
    final DenialMonitor denials;
    long seen;

    RuleMonitors(String rule) {
      this.rate =
          new RateMonitor(
              Topic.ofRule(Kind.RATE, rule),
              "rule " + rule + " receives",
              RateMonitor.Thresholds.AGGREGATE);
      this.denials = new DenialMonitor(rule);
    }

    boolean isOpen() {
      return rate.isOpen() || denials.isOpen();
    }

    void end(long second, AnomalyLog log) {
      rate.end(second, log);
      denials.end(second, log);
    }
  }

  private final AnomalyLog log = new AnomalyLog();
  private final OutageMonitor outages = new OutageMonitor();
  private final OverloadMonitor overloads = new OverloadMonitor();
  private final RateMonitor overall =
      new RateMonitor(
          Topic.of(Kind.RATE), "all callers together send", RateMonitor.Thresholds.AGGREGATE);
  private final CallerMonitor callers = new CallerMonitor();
  private final Map<String, RuleMonitors> rules = new HashMap<>();
  private Predicate<String> isActive = rule -> true;
  private CheckCounts all = CheckCounts.NONE; // of the current step
  private final Map<String, CheckCounts> byRule = new HashMap<>();
  private long stepStart;

  /**
   * @param started the first second to be observed
   */
  public AnomalyDetector(long started) {
    this.stepStart = started;
  }

  /**
   * Observes the next second.
   *
   * @return anomalies that opened or ended
   */
  public List<Anomaly> observe(DetectorInput input) {
    all = all.plus(input.all());
    input
        .byRule()
        .forEach((rule, counts) -> {
          // Late counts may belong to removed rules.
          if (isActive.test(rule)) byRule.merge(rule, counts, CheckCounts::plus);
        });
    if (input.second() - stepStart + 1 >= Baseline.STEP_SECONDS) endStep(input);
    return log.takeChanges();
  }

  /**
   * Observes the state of the store.
   *
   * @param unavailable whether failure policies currently replace the store
   * @param uncounted number of checks allowed without being counted since the last call
   * @return anomalies that opened or ended
   */
  public List<Anomaly> observeStore(long second, boolean unavailable, long uncounted) {
    outages.step(second, unavailable, uncounted, log);
    return log.takeChanges();
  }

  /**
   * Observes the levels of rules that shed load.
   *
   * @param levels the share of the requests that each rule drops, if it is above 0
   * @return anomalies that opened or ended
   */
  public List<Anomaly> observeLevels(long second, Map<String, Double> levels) {
    overloads.step(second, levels, log);
    return log.takeChanges();
  }

  /**
   * Skips to a second. The seconds before it are unknown, which is not the same as without traffic,
   * so the current step is discarded.
   */
  public void skipTo(long second) {
    beginStep(second);
  }

  /** Sets the ids of the rules in force. Open anomalies of other rules end. */
  public void setActiveRules(Set<String> ids, long second) {
    isActive = ids::contains;
    byRule.keySet().retainAll(ids);
    rules.forEach((rule, monitors) -> {
      if (!ids.contains(rule)) monitors.end(second, log);
    });
    rules.keySet().retainAll(ids);
  }

  private void endStep(DetectorInput input) {
    long second = input.second();
    double seconds = second - stepStart + 1;
    overall.step(second, all.checks() / seconds, true, log);
    stepRules(second, seconds);
    callers.step(second, input.busiest(), all.checks() / seconds, log);
    log.expire(second);
    beginStep(second + 1);
  }

  private void beginStep(long second) {
    all = CheckCounts.NONE;
    byRule.clear();
    stepStart = second;
  }

  private void stepRules(long second, double seconds) {
    for (var rule : byRule.keySet()) {
      if (rules.size() < MAX_RULES) rules.computeIfAbsent(rule, RuleMonitors::new);
    }
    var expired = new HashSet<String>();
    rules.forEach((rule, monitors) -> {
      var counts = byRule.getOrDefault(rule, CheckCounts.NONE);
      if (!counts.equals(CheckCounts.NONE)) monitors.seen = second;
      // A rule that applies to all traffic adds nothing to the overall rate.
      boolean isDistinct = counts.checks() < all.checks() || monitors.rate.isOpen();
      monitors.rate.step(second, counts.checks() / seconds, isDistinct, log);
      monitors.denials.step(second, counts, log);
      if (second - monitors.seen > EXPIRY_SECONDS && !monitors.isOpen()) expired.add(rule);
    });
    rules.keySet().removeAll(expired);
  }

  /** Returns the anomalies that are open or ended within the last hour, newest first. */
  public List<Anomaly> anomalies() {
    return log.all();
  }
}
