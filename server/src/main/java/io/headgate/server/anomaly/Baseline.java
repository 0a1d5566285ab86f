package io.headgate.server.anomaly;

import java.util.Arrays;

/**
 * The usual value of a series measured every {@value #STEP_SECONDS} seconds: a level that follows
 * slowly (exponential smoothing), a daily seasonality learnt from previous days, and the usual
 * deviation from both.
 *
 * <p>Meant for values whose differences have the same meaning everywhere, such as logarithms of
 * rates. Outliers are clamped, so that an incident does not become the norm while it lasts, but a
 * permanent change eventually does.
 */
final class Baseline {
  static final int STEP_SECONDS = 10;

  private static final int SLOTS = 48; // half hours of a day, UTC
  private static final int SLOT_SECONDS = 24 * 3_600 / SLOTS;
  private static final int SLOT_STEPS = SLOT_SECONDS / STEP_SECONDS;

  // A time constant of about an hour.
  private static final double LEVEL_GAIN = STEP_SECONDS / 3_600.0;
  private static final double NEW_DAY_WEIGHT = 0.25;
  private static final double MAX_PER_DAY = 0.4; // maximum change of the seasonality by a later day
  private static final double MIN_SPREAD = 0.01;
  private static final double SPREAD_GAIN = 0.001;
  private static final double MEDIAN_TO_DEVIATION = 1.4826; // for a normal distribution
  private static final double MEAN_TO_MEDIAN = 1.18; // for a normal distribution

  /** The clamp for outliers while the daily seasonality is unknown. */
  private static final double INITIAL_CLAMP = 0.7;

  private final int warmSteps;
  private final boolean daily;
  private final double[] seasonality = new double[SLOTS];
  private final int[] days = new int[SLOTS];
  private final double[] values; // of the current half hour
  private int valuesSeen;
  private long slot = Long.MIN_VALUE; // the current half hour, counted since the epoch
  private boolean seasonalityKnown;
  private double seasonalityMean;
  private double level;
  private double spread; // the median deviation
  private int seen;

  /**
   * @param warmSteps number of values before the baseline is used
   * @param daily whether to learn the daily seasonality
   */
  Baseline(int warmSteps, boolean daily) {
    this.warmSteps = warmSteps;
    this.daily = daily;
    this.values = new double[daily ? SLOT_STEPS : 0];
  }

  /** Creates a baseline for a series known to have been at or below this level for long enough. */
  static Baseline knownBelow(double level, int warmSteps) {
    var baseline = new Baseline(warmSteps, false);
    baseline.level = level;
    baseline.spread = MIN_SPREAD;
    baseline.seen = warmSteps;
    return baseline;
  }

  boolean isWarm() {
    return seen >= warmSteps;
  }

  double expected(long second) {
    return level + season(second);
  }

  /** Returns the usual deviation from the expected value, about one standard deviation. */
  double spread() {
    return MEDIAN_TO_DEVIATION * Math.max(spread, MIN_SPREAD);
  }

  void learn(long second, double value) {
    double deviation = value - expected(second);
    double maxDeviation = seasonalityKnown ? Math.max(3 * spread(), 0.1) : INITIAL_CLAMP;
    double clamped = isWarm() ? Math.clamp(deviation, -maxDeviation, maxDeviation) : deviation;
    double gain = Math.max(LEVEL_GAIN, 1.0 / (seen + 1));
    level += gain * clamped;
    learnSpread(Math.abs(deviation), gain);
    seen++;
    if (daily) learnSeasonality(second, value);
  }

  /**
   * Updates the median deviation by stochastic approximation: once warm, each value moves it by a
   * fixed factor up or down, however far off the value is. An hour of any values changes it by half
   * at most.
   */
  private void learnSpread(double distance, double gain) {
    if (isWarm()) spread *= distance > spread ? 1 + SPREAD_GAIN : 1 - SPREAD_GAIN;
    else if (seen > 0) spread += gain * (distance / MEAN_TO_MEDIAN - spread);
    spread = Math.max(spread, MIN_SPREAD);
  }

  private void learnSeasonality(long second, double value) {
    long now = Math.floorDiv(second, SLOT_SECONDS);
    if (now != slot) {
      if (valuesSeen > SLOT_STEPS / 2) endSlot();
      valuesSeen = 0;
      slot = now;
    }
    if (valuesSeen < SLOT_STEPS) values[valuesSeen++] = value;
  }

  /**
   * Updates the seasonality with the median of a half hour, so that an incident of some minutes has
   * no effect.
   */
  private void endSlot() {
    Arrays.sort(values, 0, valuesSeen);
    double median = values[valuesSeen / 2];
    int at = (int) Math.floorMod(slot, (long) SLOTS);
    long end = (slot + 1) * SLOT_SECONDS;
    double before = expected(end);
    double deviation = median - seasonality[at];
    if (days[at] == 0) seasonality[at] = median;
    else if (days[at] == 1) seasonality[at] += 0.5 * deviation;
    else seasonality[at] += NEW_DAY_WEIGHT * Math.clamp(deviation, -MAX_PER_DAY, MAX_PER_DAY);
    days[at]++;
    seasonalityMean = Arrays.stream(seasonality).average().orElse(0);
    if (!seasonalityKnown && Arrays.stream(days).allMatch(count -> count > 0)) {
      seasonalityKnown = true;
      level = before - season(end); // keeps the current expectation unchanged
    }
  }

  /** Returns the seasonal component, interpolated between the centres of adjacent half hours. */
  private double season(long second) {
    if (!seasonalityKnown) return 0;
    double position = (double) second / SLOT_SECONDS - 0.5;
    long first = (long) Math.floor(position);
    double fraction = position - first;
    double from = seasonality[(int) Math.floorMod(first, (long) SLOTS)];
    double to = seasonality[(int) Math.floorMod(first + 1, (long) SLOTS)];
    return from + fraction * (to - from) - seasonalityMean;
  }
}
