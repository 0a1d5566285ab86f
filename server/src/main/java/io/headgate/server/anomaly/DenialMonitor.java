package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Kind;
import io.headgate.server.anomaly.Anomaly.Severity;
import io.headgate.server.anomaly.AnomalyLog.Topic;
import io.headgate.server.counts.CheckCounts;
import java.util.OptionalDouble;

/** Detects that a rule denies a larger share of its checks than usual. */
final class DenialMonitor {
  private static final int WARM_STEPS = 30;
  // Below this a share is meaningless, and counts carry over to the next step.
  private static final int MIN_CHECKS = 20;
  private static final double DEVIATIONS = 5;
  private static final double MIN_RISE = 0.2; // from 0 to 4%, from 10% to 25%, from 50% to 70%

  private final String rule;
  private final Baseline baseline = new Baseline(WARM_STEPS, true);
  private final Hysteresis hysteresis = new Hysteresis(2, 6);
  private long denied;
  private long checks;

  DenialMonitor(String rule) {
    this.rule = rule;
  }

  boolean isOpen() {
    return hysteresis.isOpen();
  }

  void step(long second, CheckCounts counts, AnomalyLog log) {
    denied += counts.denied();
    checks += counts.checks();
    if (checks < MIN_CHECKS) {
      // Without checks there are no denials.
      if (checks == 0 && hysteresis.step(false, true)) log.end(topic(), second);
      return;
    }
    double share = (double) denied / checks;
    double value = stabilized(share);
    if (baseline.isWarm()) evaluate(second, share, value, log);
    baseline.learn(second, value);
    denied = 0;
    checks = 0;
  }

  private void evaluate(long second, double share, double value, AnomalyLog log) {
    double expected = Math.max(0, baseline.expected(second));
    double noise = 0.5 / StrictMath.sqrt((double) checks);
    double rise = Math.max(MIN_RISE, DEVIATIONS * Math.max(baseline.spread(), noise));
    if (!hysteresis.step(value - expected > rise, value - expected < rise / 2)) return;
    if (!hysteresis.isOpen()) {
      log.end(topic(), second);
      return;
    }
    double usual = StrictMath.pow(StrictMath.sin(Math.min(expected, Math.PI / 2)), 2);
    log.open(
        topic(),
        share >= 0.5 ? Severity.CRITICAL : Severity.WARNING,
        second,
        share,
        OptionalDouble.of(usual),
        "rule %s denies %s%% of its checks, usually %s%%"
            .formatted(rule, ShortNumber.of(share * 100), ShortNumber.of(usual * 100)));
  }

  /** Ends the open anomaly, because the rule is no longer in force. */
  void end(long second, AnomalyLog log) {
    log.end(topic(), second);
  }

  private Topic topic() {
    return Topic.ofRule(Kind.DENIALS, rule);
  }

  /**
   * Applies the arcsine square root transform, which makes the variance of a share independent of
   * its size.
   */
  private static double stabilized(double share) {
    return StrictMath.asin(StrictMath.sqrt(share));
  }
}
