package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Kind;
import io.headgate.server.anomaly.AnomalyLog.Matter;
import io.headgate.server.counts.CheckCounts;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds what is not as usual in the figures of one second after another. Has no clock and no
 * threads: time is what it is told.
 */
public final class AnomalyDetector {
  private static final int MOST_RULES = 200;
  private static final long FORGET_SECONDS = 2 * 24 * 3_600;

  private static final class OfRule {
    final RateMonitor rate;
    final DenialMonitor denials;
    long seen;

    OfRule(String rule) {
      this.rate =
          new RateMonitor(
              Matter.ofRule(Kind.RATE, rule),
              "rule " + rule + " is asked",
              RateMonitor.Terms.OF_MANY);
      this.denials = new DenialMonitor(rule);
    }

    boolean isOpen() {
      return rate.isOpen() || denials.isOpen();
    }

    void end(long second, AnomalyLog journal) {
      rate.end(second, journal);
      denials.end(second, journal);
    }
  }

  private final AnomalyLog journal = new AnomalyLog();
  private final OutageMonitor outages = new OutageMonitor();
  private final RateMonitor overall =
      new RateMonitor(Matter.of(Kind.RATE), "all callers together ask", RateMonitor.Terms.OF_MANY);
  private final CallerMonitor callers = new CallerMonitor();
  private final Map<String, OfRule> rules = new HashMap<>();
  private Predicate<String> inForce = rule -> true;
  private CheckCounts all = CheckCounts.NONE; // of the step that goes on
  private final Map<String, CheckCounts> byRule = new HashMap<>();
  private long stepBegan;

  /**
   * @param started the first second that it will be told of
   */
  public AnomalyDetector(long started) {
    this.stepBegan = started;
  }

  /** Takes the next second, and gives what has opened and what has ended. */
  public List<Anomaly> observe(DetectorInput glance) {
    all = all.plus(glance.all());
    glance
        .byRule()
        .forEach((rule, counts) -> {
          // What comes late may be of rules that are gone.
          if (inForce.test(rule)) byRule.merge(rule, counts, CheckCounts::plus);
        });
    if (glance.second() - stepBegan + 1 >= Baseline.STEP_SECONDS) endStep(glance);
    return journal.takeChanges();
  }

  /**
   * How it stands with the store, and gives what has opened and what has ended.
   *
   * @param passed how many checks were allowed that nobody counted, since this was told last
   */
  public List<Anomaly> observeStore(long second, boolean away, long passed) {
    outages.step(second, away, passed, journal);
    return journal.takeChanges();
  }

  /**
   * Nothing is known of the seconds before this one, which is not the same as that nobody asked:
   * what has been seen of the step that goes on is thrown away.
   */
  public void skipTo(long second) {
    beginStep(second);
  }

  /** Only these rules are in force from now on: what is open of others ends. */
  public void follow(Set<String> ids, long second) {
    inForce = ids::contains;
    byRule.keySet().retainAll(ids);
    rules.forEach((rule, of) -> {
      if (!ids.contains(rule)) of.end(second, journal);
    });
    rules.keySet().retainAll(ids);
  }

  private void endStep(DetectorInput glance) {
    long second = glance.second();
    double seconds = second - stepBegan + 1;
    overall.step(second, all.asked() / seconds, true, journal);
    stepRules(second, seconds);
    callers.step(second, glance.busiest(), all.asked() / seconds, journal);
    journal.forget(second);
    beginStep(second + 1);
  }

  private void beginStep(long second) {
    all = CheckCounts.NONE;
    byRule.clear();
    stepBegan = second;
  }

  private void stepRules(long second, double seconds) {
    for (var rule : byRule.keySet()) {
      if (rules.size() < MOST_RULES) rules.computeIfAbsent(rule, OfRule::new);
    }
    var gone = new HashSet<String>();
    rules.forEach((rule, of) -> {
      var counts = byRule.getOrDefault(rule, CheckCounts.NONE);
      if (!counts.equals(CheckCounts.NONE)) of.seen = second;
      // A rule that sees all there is says nothing that the whole does not.
      boolean own = counts.asked() < all.asked() || of.rate.isOpen();
      of.rate.step(second, counts.asked() / seconds, own, journal);
      of.denials.step(second, counts, journal);
      if (second - of.seen > FORGET_SECONDS && !of.isOpen()) gone.add(rule);
    });
    rules.keySet().removeAll(gone);
  }

  /** Those that are open or ended within the hour, the newest first. */
  public List<Anomaly> anomalies() {
    return journal.all();
  }
}
