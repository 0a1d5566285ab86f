package io.headgate.load;

import io.headgate.load.ShedState.Report;
import java.util.ArrayList;
import java.util.List;

/**
 * Computes the share of the traffic to drop so that the signal of a backend stays at its target. A
 * pure function of the state, the time and a report.
 *
 * <p>A proportional-integral controller in velocity form: the stored level is its integral, so
 * there is nothing to wind up beyond the bounds of the level. The integral follows the law of
 * Stripe's utilization shedder (Tarjan, 2017): no change between {@link #LOW} of the target and the
 * target, a rise above, a slower fall below, and a credit after rest that delays the first drop.
 * The proportional part reacts to a change of the excess at once. Both are scaled by the share of
 * the traffic that is still admitted, so that the gain of the loop does not depend on how far the
 * offered load exceeds the capacity.
 *
 * <p>Several instances of a backend report. Their signals are combined into a mean weighted by
 * capacity, in which the highest and the lowest count as their neighbours if there are at least
 * three, and no instance weighs more than twice the mean of the others. So one instance that
 * reports wrong figures can't move the result outside the range of the other instances.
 *
 * <p>Times are microseconds of the clock of the store. The clocks of the instances play no part.
 */
public final class ShedController {
  /** The highest share of the traffic that is dropped, whatever is reported. */
  public static final double MAX_DROP = 0.95;

  /** The lowest value of the level: the credit of a backend at rest. */
  public static final double MIN_DROP = -28.0 / 120.0;

  /** The share of the target below which the level falls. */
  public static final double LOW = 0.875;

  /** The number of instances of a backend whose reports are stored. */
  public static final int MAX_REPORTERS = 64;

  /** How long a report counts, and how long the level stays without one. */
  public static final long HOLD_MICROS = 5_000_000;

  /** The time after {@link #HOLD_MICROS} in which the level fades to 0 without a report. */
  public static final long FADE_MICROS = 10_000_000;

  /** The share of the admitted traffic that a full excess drops at once. */
  private static final double PROPORTIONAL = 0.2;

  /** The time in which a full excess drops all traffic, if the admitted share did not shrink. */
  private static final double INTEGRAL_SECONDS = 20;

  /** The longest time between two reports that is integrated. */
  private static final double MAX_STEP_SECONDS = 2;

  private static final double MIN_RISING_GAIN = 0.05;
  private static final double MIN_FALLING_GAIN = 0.2;

  static final double MIN_WEIGHT = 0.001;
  static final double MAX_WEIGHT = 1_000_000;

  /**
   * Returns the share of the traffic to drop at {@code now}: the level for {@link #HOLD_MICROS}
   * after the last report, and then less, down to 0 after {@link #FADE_MICROS} more.
   *
   * @param drop {@link ShedState#drop}
   * @param at {@link ShedState#at}
   */
  public static double level(double drop, long at, long now) {
    double stale = Math.max(0, (double) (now - at) - HOLD_MICROS);
    double left = Math.max(0, 1 - stale / FADE_MICROS);
    return Math.max(0, drop) * left;
  }

  /** Returns the share of the traffic to drop at {@code now}. */
  public static double level(ShedState state, long now) {
    return level(state.drop(), state.at(), now);
  }

  /**
   * Applies one report.
   *
   * @param now the time; an earlier one than that of the last report counts as the latter
   * @param reporter identifies the instance that reports
   * @param value the signal of the instance
   * @param weight the weight of the instance
   * @param seed the {@link ShedState#seed} if there is none yet
   * @return the next state; the same one if the value or the weight is not a finite number of 0 or
   *     more
   */
  public static ShedState report(
      Setpoint setpoint,
      ShedState state,
      long now,
      long reporter,
      double value,
      double weight,
      long seed) {
    if (!(value >= 0 && value <= Double.MAX_VALUE)) return state;
    if (!(weight >= 0 && weight <= Double.MAX_VALUE)) return state;
    long at = Math.max(now, state.at());
    double bounded = Math.min(value, setpoint.ceiling());
    double share = Math.min(Math.max(weight, MIN_WEIGHT), MAX_WEIGHT);
    var reporters = merge(state.reporters(), new Report(reporter, bounded, share, at));
    double excess = excess(setpoint, combined(reporters));
    double age = (double) (at - state.at());
    double drop = state.drop() > 0 ? level(state, at) : state.drop();
    double before = age > HOLD_MICROS ? 0 : Math.max(0, state.excess());
    double seconds = age > HOLD_MICROS ? 0 : Math.min(age / 1_000_000, MAX_STEP_SECONDS);
    double admitted = 1 - Math.max(0, drop);
    double gain = Math.max(admitted, MIN_RISING_GAIN);
    double slow = excess < 0 ? Math.max(admitted, MIN_FALLING_GAIN) : gain;
    double next =
        drop
            + PROPORTIONAL * gain * (Math.max(0, excess) - before)
            + slow * excess * seconds / INTEGRAL_SECONDS;
    return new ShedState(
        Math.min(Math.max(next, MIN_DROP), MAX_DROP),
        excess,
        at,
        state.at() == 0 ? seed : state.seed(),
        reporters);
  }

  /**
   * Returns the excess of a signal over its target: 1 at the ceiling, 0 from {@link #LOW} of the
   * target to the target, and -1 at 0.
   */
  static double excess(Setpoint setpoint, double value) {
    double target = setpoint.target();
    double low = target * LOW;
    if (value > target) return Math.min(1, (value - target) / (setpoint.ceiling() - target));
    return value < low ? value / low - 1 : 0;
  }

  /**
   * Adds a report, or replaces the earlier one of the same instance. Reports that no longer count
   * are removed. If there are {@link #MAX_REPORTERS} others, the report takes the place that its
   * instance determines, so that the stored reports are a sample of all.
   */
  private static List<Report> merge(List<Report> reports, Report added) {
    var merged = new ArrayList<Report>(reports.size() + 1);
    boolean known = false;
    for (var report : reports) {
      if (report.reporter() == added.reporter()) {
        merged.add(added);
        known = true;
      } else if (added.at() - report.at() <= HOLD_MICROS) {
        merged.add(report);
      }
    }
    if (known) return merged;
    if (merged.size() < MAX_REPORTERS) merged.add(added);
    else merged.set((int) (added.reporter() % MAX_REPORTERS), added);
    return merged;
  }

  /** Returns the weighted mean of the reports, robust against one wrong report; not empty. */
  public static double combined(List<Report> reports) {
    int count = reports.size();
    double sum = 0;
    for (var report : reports) sum += report.weight();
    int highest = 0;
    int lowest = 0;
    for (int i = 1; i < count; i++) {
      if (reports.get(i).value() > reports.get(highest).value()) highest = i;
      if (reports.get(i).value() < reports.get(lowest).value()) lowest = i;
    }
    double top = 0;
    double bottom = Double.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      if (i != highest) top = Math.max(top, reports.get(i).value());
      if (i != lowest) bottom = Math.min(bottom, reports.get(i).value());
    }
    double total = 0;
    double weighted = 0;
    for (var report : reports) {
      double weight = report.weight();
      double value = report.value();
      if (count > 1) weight = Math.min(weight, 2 * (sum - weight) / (count - 1));
      if (count > 2) value = Math.min(Math.max(value, bottom), top);
      total += weight;
      weighted += weight * value;
    }
    return weighted / total;
  }

  private ShedController() {}
}
