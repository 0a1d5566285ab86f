package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Severity;
import io.headgate.server.anomaly.AnomalyLog.Matter;
import java.util.Locale;
import java.util.OptionalDouble;

/** Notices when one rate leaves its own history. */
final class RateMonitor {
  private static final double DEVIATIONS = 5;
  private static final double OFFSET = 0.1; // so that nothing at all has a logarithm
  private static final double CRITICAL = 10;

  /**
   * @param warmSteps as {@link Baseline} has it
   * @param daily whether there is a rhythm of the day to learn
   * @param factorUp how many times the usual is too much
   * @param leastUp what has to be reached, a second, to be worth a word
   * @param factorDown how many times less than usual is too little; 0 if nothing is
   * @param leastDown what must be usual, a second, to be missed
   */
  record Terms(
      int warmSteps,
      boolean daily,
      double factorUp,
      double leastUp,
      double factorDown,
      double leastDown) {
    static final Terms OF_MANY = new Terms(60, true, 2, 2, 3, 5);
    static final Terms OF_CALLER = new Terms(60, false, 4, 5, 0, 0);
  }

  private final Matter matter;
  private final String who;
  private final Terms terms;
  private final Baseline baseline;
  private final Hysteresis above = new Hysteresis(2, 6);
  private final Hysteresis below = new Hysteresis(3, 6);

  /**
   * @param who what asks too much: {@code user:42 asks}
   */
  RateMonitor(Matter matter, String who, Terms terms) {
    this(matter, who, terms, new Baseline(terms.warmSteps, terms.daily));
  }

  /** For one that has long been there, and asked too little to be followed. */
  static RateMonitor quietSoFar(Matter matter, String who, Terms terms, double perSecond) {
    return new RateMonitor(
        matter,
        who,
        terms,
        Baseline.knownBelow(StrictMath.log(perSecond + OFFSET), terms.warmSteps));
  }

  private RateMonitor(Matter matter, String who, Terms terms, Baseline baseline) {
    this.matter = matter;
    this.who = who;
    this.terms = terms;
    this.baseline = baseline;
  }

  boolean isOpen() {
    return above.isOpen() || below.isOpen();
  }

  /** What it watched is no longer there. */
  void end(long second, AnomalyLog journal) {
    journal.end(matter, second);
  }

  /**
   * @param judged whether to say something, or only to learn
   */
  void step(long second, double perSecond, boolean judged, AnomalyLog journal) {
    double value = StrictMath.log(perSecond + OFFSET);
    if (judged && baseline.isWarm()) judge(second, perSecond, value, journal);
    baseline.learn(second, value);
  }

  private void judge(long second, double perSecond, double value, AnomalyLog journal) {
    double expected = baseline.expected(second);
    double usual = Math.max(0, StrictMath.exp(expected) - OFFSET);
    double off = value - expected;
    // Few requests scatter by themselves, whatever the history says.
    double chance = 1 / StrictMath.sqrt(Math.max(1, usual * Baseline.STEP_SECONDS));
    double noise = DEVIATIONS * Math.max(baseline.spread(), chance);
    double up = Math.max(StrictMath.log(terms.factorUp), noise);
    boolean over = off > up && perSecond >= terms.leastUp;
    if (above.step(over, off < up / 2)) turn(above, below, second, perSecond, usual, journal);
    if (terms.factorDown == 0) return;
    double down = Math.max(StrictMath.log(terms.factorDown), noise);
    boolean under = -off > down && usual >= terms.leastDown;
    if (below.step(under, -off < down / 2)) turn(below, above, second, perSecond, usual, journal);
  }

  /** There is one matter for both ways: what opens one way ends what was open the other way. */
  private void turn(
      Hysteresis turned,
      Hysteresis other,
      long second,
      double now,
      double usual,
      AnomalyLog journal) {
    journal.end(matter, second);
    if (!turned.isOpen()) return;
    other.reset();
    double times = now > usual ? now / Math.max(usual, OFFSET) : usual / Math.max(now, OFFSET);
    String text =
        String.format(
            Locale.ROOT,
            now > usual
                ? "%s %.3g times as often as usual (%.3g/s, usually %.3g/s)"
                : "%s %.3g times less often than usual (%.3g/s, usually %.3g/s)",
            who,
            times,
            now,
            usual);
    var severity = times >= CRITICAL && now > usual ? Severity.CRITICAL : Severity.WARNING;
    journal.open(matter, severity, second, now, OptionalDouble.of(usual), text);
  }
}
