package io.headgate.server.watch;

import io.headgate.server.watch.Anomaly.Kind;
import io.headgate.server.watch.Journal.Matter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * Finds what is not as usual in the figures of one second after another. Has no clock and no
 * threads: time is what it is told.
 */
final class Detector {
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
  }

  private final Journal journal = new Journal();
  private final OutageMonitor outages = new OutageMonitor();
  private final RateMonitor overall =
      new RateMonitor(Matter.of(Kind.RATE), "all callers together ask", RateMonitor.Terms.OF_MANY);
  private final CallerMonitor callers = new CallerMonitor();
  private final Map<String, OfRule> rules = new HashMap<>();
  private Counts all = Counts.NONE; // of the step that goes on
  private final Map<String, Counts> byRule = new HashMap<>();
  private long stepBegan;

  /**
   * @param started the first second that it will be told of
   */
  Detector(long started) {
    this.stepBegan = started;
  }

  /** Takes the next second, and gives what has opened and what has ended. */
  List<Anomaly> observe(Glance glance) {
    outages.step(glance, journal);
    all = all.plus(glance.all());
    glance.byRule().forEach((rule, counts) -> byRule.merge(rule, counts, Counts::plus));
    if (glance.second() - stepBegan + 1 >= Baseline.STEP_SECONDS) endStep(glance);
    return journal.takeChanges();
  }

  private void endStep(Glance glance) {
    long second = glance.second();
    double seconds = second - stepBegan + 1;
    overall.step(second, all.all() / seconds, true, journal);
    stepRules(second, seconds);
    callers.step(second, glance.busiest(), all.all() / seconds, journal);
    journal.forget(second);
    all = Counts.NONE;
    byRule.clear();
    stepBegan = second + 1;
  }

  private void stepRules(long second, double seconds) {
    for (var rule : byRule.keySet()) {
      if (rules.size() < MOST_RULES) rules.computeIfAbsent(rule, OfRule::new);
    }
    var gone = new HashSet<String>();
    rules.forEach((rule, of) -> {
      var counts = byRule.getOrDefault(rule, Counts.NONE);
      if (!counts.equals(Counts.NONE)) of.seen = second;
      // A rule that sees all there is says nothing that the whole does not.
      boolean own = counts.all() < all.all() || of.rate.isOpen();
      of.rate.step(second, counts.all() / seconds, own, journal);
      of.denials.step(second, counts, journal);
      if (second - of.seen > FORGET_SECONDS && !of.isOpen()) gone.add(rule);
    });
    rules.keySet().removeAll(gone);
  }

  /** Those that are open or ended within the hour, the newest first. */
  List<Anomaly> anomalies() {
    return journal.all();
  }
}
