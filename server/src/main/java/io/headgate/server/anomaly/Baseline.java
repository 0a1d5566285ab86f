package io.headgate.server.anomaly;

import java.util.Arrays;

/**
 * What is usual for one value that is measured every {@value #STEP_SECONDS} seconds: a level that
 * follows slowly, a rhythm of the day that is learnt from the days before, and how far values
 * usually lie from that.
 *
 * <p>Made for values whose differences mean the same everywhere, such as logarithms of rates. What
 * is far off moves it little, so that an incident does not become usual while it lasts, but does in
 * the end if it stays.
 */
final class Baseline {
  static final int STEP_SECONDS = 10;

  private static final int SLOTS = 48; // half hours of a day, UTC
  private static final int SLOT_SECONDS = 24 * 3_600 / SLOTS;
  private static final int SLOT_STEPS = SLOT_SECONDS / STEP_SECONDS;

  private static final double LEVEL_GAIN = STEP_SECONDS / 3_600.0; // about an hour
  private static final double NEW_DAY_WEIGHT = 0.25;
  private static final double MOST_PER_DAY = 0.4; // that a later day moves the rhythm
  private static final double LEAST_SPREAD = 0.01;
  private static final double SPREAD_GAIN = 0.001;
  private static final double MEDIAN_TO_DEVIATION = 1.4826; // of a normal distribution
  private static final double MEAN_TO_MEDIAN = 1.18; // as well

  /** How far off a value may be and still count in full, while the rhythm of the day is unknown. */
  private static final double LOOSE = 0.7;

  private final int warmSteps;
  private final boolean daily;
  private final double[] rhythm = new double[SLOTS];
  private final int[] days = new int[SLOTS];
  private final double[] values; // of the half hour that is going on
  private int valuesSeen;
  private long slot = Long.MIN_VALUE; // that half hour, counted since 1970
  private boolean rhythmKnown;
  private double rhythmMean;
  private double level;
  private double spread; // the median of how far off values are
  private int seen;

  /**
   * @param warmSteps how many values it takes until anything is called usual
   * @param daily whether to learn the rhythm of the day
   */
  Baseline(int warmSteps, boolean daily) {
    this.warmSteps = warmSteps;
    this.daily = daily;
    this.values = new double[daily ? SLOT_STEPS : 0];
  }

  /** For one that is known to have been at this level or below for long enough. */
  static Baseline knownBelow(double level, int warmSteps) {
    var baseline = new Baseline(warmSteps, false);
    baseline.level = level;
    baseline.spread = LEAST_SPREAD;
    baseline.seen = warmSteps;
    return baseline;
  }

  boolean isWarm() {
    return seen >= warmSteps;
  }

  double expected(long second) {
    return level + season(second);
  }

  /** How far values usually are from what is expected: about a standard deviation. */
  double spread() {
    return MEDIAN_TO_DEVIATION * Math.max(spread, LEAST_SPREAD);
  }

  void learn(long second, double value) {
    double off = value - expected(second);
    double most = rhythmKnown ? Math.max(3 * spread(), 0.1) : LOOSE;
    double counted = isWarm() ? Math.clamp(off, -most, most) : off;
    double gain = Math.max(LEVEL_GAIN, 1.0 / (seen + 1));
    level += gain * counted;
    learnSpread(Math.abs(off), gain);
    seen++;
    if (daily) learnRhythm(second, value);
  }

  /**
   * Once it is warm, half of all values lie within it: a step towards that after each, of the same
   * size however far off the value is, so that an hour of anything moves it by half at the most.
   */
  private void learnSpread(double far, double gain) {
    if (isWarm()) spread *= far > spread ? 1 + SPREAD_GAIN : 1 - SPREAD_GAIN;
    else if (seen > 0) spread += gain * (far / MEAN_TO_MEDIAN - spread);
    spread = Math.max(spread, LEAST_SPREAD);
  }

  private void learnRhythm(long second, double value) {
    long now = Math.floorDiv(second, SLOT_SECONDS);
    if (now != slot) {
      if (valuesSeen > SLOT_STEPS / 2) endSlot();
      valuesSeen = 0;
      slot = now;
    }
    if (valuesSeen < SLOT_STEPS) values[valuesSeen++] = value;
  }

  /** The median of a half hour: an incident of some minutes leaves no trace. */
  private void endSlot() {
    Arrays.sort(values, 0, valuesSeen);
    double middle = values[valuesSeen / 2];
    int at = (int) Math.floorMod(slot, (long) SLOTS);
    long end = (slot + 1) * SLOT_SECONDS;
    double before = expected(end);
    double off = middle - rhythm[at];
    if (days[at] == 0) rhythm[at] = middle;
    else if (days[at] == 1) rhythm[at] += 0.5 * off;
    else rhythm[at] += NEW_DAY_WEIGHT * Math.clamp(off, -MOST_PER_DAY, MOST_PER_DAY);
    days[at]++;
    rhythmMean = Arrays.stream(rhythm).average().orElse(0);
    if (!rhythmKnown && Arrays.stream(days).allMatch(count -> count > 0)) {
      rhythmKnown = true;
      level = before - season(end); // what is expected right now stays what it is
    }
  }

  /** What the time of day adds, from the middle of one half hour to that of the next. */
  private double season(long second) {
    if (!rhythmKnown) return 0;
    double place = (double) second / SLOT_SECONDS - 0.5;
    long first = (long) Math.floor(place);
    double share = place - first;
    double from = rhythm[(int) Math.floorMod(first, (long) SLOTS)];
    double to = rhythm[(int) Math.floorMod(first + 1, (long) SLOTS)];
    return from + share * (to - from) - rhythmMean;
  }
}
