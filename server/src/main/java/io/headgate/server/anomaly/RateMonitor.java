package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Severity;
import io.headgate.server.anomaly.AnomalyLog.Topic;
import io.headgate.server.callers.TopCallers;
import java.util.OptionalDouble;

/** Detects that a rate deviates from its own history. */
final class RateMonitor {
  private static final double DEVIATIONS = 5;
  private static final double OFFSET = 0.1; // so that a rate of 0 has a logarithm
  private static final double CRITICAL = 10;

  /** A usual rate below this is next to no traffic, of which any load is a multiple. */
  private static final double CRITICAL_USUAL = TopCallers.MIN_BUSY_RATE;

  /**
   * Thresholds of a monitor.
   *
   * @param warmSteps as in {@link Baseline}
   * @param daily whether there is a daily seasonality to learn
   * @param factorUp multiple of the usual rate that is too high
   * @param minUp minimum rate per second to be reported as too high
   * @param factorDown how many times below the usual rate is too low; 0 disables this
   * @param minDown minimum usual rate per second for a drop to be reported
   */
  record Thresholds(
      int warmSteps,
      boolean daily,
      double factorUp,
      double minUp,
      double factorDown,
      double minDown) {
    static final Thresholds AGGREGATE = new Thresholds(60, true, 2, 2, 3, 5);
    static final Thresholds CALLER = new Thresholds(60, false, 4, 5, 0, 0);
  }

  private final Topic topic;
  private final String subject;
  private final Thresholds thresholds;
  private final Baseline baseline;
  private final Hysteresis above = new Hysteresis(2, 6);
  private final Hysteresis below = new Hysteresis(3, 6);
  private boolean begun; // whether there was any traffic, without which there is no usual rate

  /**
   * @param subject subject and verb of the description, such as {@code user:42 sends}
   */
  RateMonitor(Topic topic, String subject, Thresholds thresholds) {
    this(topic, subject, thresholds, new Baseline(thresholds.warmSteps, thresholds.daily));
  }

  /** Creates a monitor for a caller that has existed for long at a rate too low to be tracked. */
  static RateMonitor knownBelow(
      Topic topic, String subject, Thresholds thresholds, double perSecond) {
    return new RateMonitor(
        topic,
        subject,
        thresholds,
        Baseline.knownBelow(StrictMath.log(perSecond + OFFSET), thresholds.warmSteps));
  }

  private RateMonitor(Topic topic, String subject, Thresholds thresholds, Baseline baseline) {
    this.topic = topic;
    this.subject = subject;
    this.thresholds = thresholds;
    this.baseline = baseline;
  }

  boolean isOpen() {
    return above.isOpen() || below.isOpen();
  }

  /** Ends the open anomaly, because the monitored rule or caller no longer exists. */
  void end(long second, AnomalyLog log) {
    log.end(topic, second);
  }

  /**
   * Processes one step. The history begins with the first traffic.
   *
   * @param detect whether to report anomalies, or only learn
   */
  void step(long second, double perSecond, boolean detect, AnomalyLog log) {
    begun |= perSecond > 0;
    if (!begun) return;
    double value = StrictMath.log(perSecond + OFFSET);
    if (detect && baseline.isWarm()) evaluate(second, perSecond, value, log);
    baseline.learn(second, value);
  }

  private void evaluate(long second, double perSecond, double value, AnomalyLog log) {
    double expected = baseline.expected(second);
    double usual = Math.max(0, StrictMath.exp(expected) - OFFSET);
    double deviation = value - expected;
    // Few requests vary by themselves, whatever the history says.
    double samplingNoise = 1 / StrictMath.sqrt(Math.max(1, usual * Baseline.STEP_SECONDS));
    double noise = DEVIATIONS * Math.max(baseline.spread(), samplingNoise);
    double up = Math.max(StrictMath.log(thresholds.factorUp), noise);
    boolean over = deviation > up && perSecond >= thresholds.minUp;
    if (above.step(over, deviation < up / 2)) report(above, below, second, perSecond, usual, log);
    if (thresholds.factorDown == 0) return;
    double down = Math.max(StrictMath.log(thresholds.factorDown), noise);
    boolean under = -deviation > down && usual >= thresholds.minDown;
    if (below.step(under, -deviation < down / 2))
      report(below, above, second, perSecond, usual, log);
  }

  /** Opens or ends an anomaly. Both directions share one topic, so opening one ends the other. */
  private void report(
      Hysteresis changed, Hysteresis other, long second, double now, double usual, AnomalyLog log) {
    log.end(topic, second);
    if (!changed.isOpen()) return;
    other.reset();
    double times = now > usual ? now / Math.max(usual, OFFSET) : usual / Math.max(now, OFFSET);
    String text =
        usual < OFFSET
            ? "%s %s checks/s, usually almost none".formatted(subject, ShortNumber.of(now))
            : "%s %s times %s checks %s usual (%s/s, usually %s/s)"
                .formatted(
                    subject,
                    ShortNumber.of(times),
                    now > usual ? "as many" : "fewer",
                    now > usual ? "as" : "than",
                    ShortNumber.of(now),
                    ShortNumber.of(usual));
    boolean critical = times >= CRITICAL && now > usual && usual >= CRITICAL_USUAL;
    var severity = critical ? Severity.CRITICAL : Severity.WARNING;
    log.open(topic, severity, second, now, OptionalDouble.of(usual), text);
  }
}
