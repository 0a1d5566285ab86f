package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Kind;
import io.headgate.server.anomaly.Anomaly.Severity;
import io.headgate.server.anomaly.AnomalyLog.Matter;
import io.headgate.server.counts.CheckCounts;
import java.util.Locale;
import java.util.OptionalDouble;

/** Notices when a rule denies a larger share than it used to. */
final class DenialMonitor {
  private static final int WARM_STEPS = 30;
  private static final int FEWEST = 20; // below, a share says nothing: it is put to the next step
  private static final double DEVIATIONS = 5;
  private static final double LEAST_RISE = 0.2; // from 0 to 4%, from 10% to 25%, from 50% to 70%

  private final String rule;
  private final Baseline baseline = new Baseline(WARM_STEPS, true);
  private final Hysteresis alarm = new Hysteresis(2, 6);
  private long denied;
  private long asked;

  DenialMonitor(String rule) {
    this.rule = rule;
  }

  boolean isOpen() {
    return alarm.isOpen();
  }

  void step(long second, CheckCounts counts, AnomalyLog journal) {
    denied += counts.denied();
    asked += counts.asked();
    if (asked < FEWEST) {
      // Where nothing is asked nothing is denied too much.
      if (asked == 0 && alarm.step(false, true)) journal.end(matter(), second);
      return;
    }
    double share = (double) denied / asked;
    double value = stabilized(share);
    if (baseline.isWarm()) judge(second, share, value, journal);
    baseline.learn(second, value);
    denied = 0;
    asked = 0;
  }

  private void judge(long second, double share, double value, AnomalyLog journal) {
    double expected = Math.max(0, baseline.expected(second));
    double chance = 0.5 / StrictMath.sqrt((double) asked);
    double rise = Math.max(LEAST_RISE, DEVIATIONS * Math.max(baseline.spread(), chance));
    if (!alarm.step(value - expected > rise, value - expected < rise / 2)) return;
    if (!alarm.isOpen()) {
      journal.end(matter(), second);
      return;
    }
    double usual = StrictMath.pow(StrictMath.sin(Math.min(expected, Math.PI / 2)), 2);
    journal.open(
        matter(),
        share >= 0.5 ? Severity.CRITICAL : Severity.WARNING,
        second,
        share,
        OptionalDouble.of(usual),
        String.format(
            Locale.ROOT,
            "rule %s denies %.3g%% of what it is asked, usually %.3g%%",
            rule,
            share * 100,
            usual * 100));
  }

  /** Its rule is no longer in force. */
  void end(long second, AnomalyLog journal) {
    journal.end(matter(), second);
  }

  private Matter matter() {
    return Matter.ofRule(Kind.DENIALS, rule);
  }

  /** Makes a share's own scatter the same for small and for large ones. */
  private static double stabilized(double share) {
    return StrictMath.asin(StrictMath.sqrt(share));
  }
}
