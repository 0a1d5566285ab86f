package io.headgate.load;

import io.headgate.load.ShedState.Report;
import java.util.ArrayList;
import java.util.List;

/**
 * Computes the share of the traffic to drop so that the signal of a backend stays at its target. A
 * pure function of the state, the time and a report.
 *
 * <p>A proportional-integral controller in velocity form: the stored level is its integral, so
 * there is nothing to wind up beyond the bounds of the level. It has two fields:
 *
 * <ul>
 *   <li>Near the target it is linear in the error, the same on both sides, so that the signal
 *       settles at the target. The gain is low, since the error is mostly noise there.
 *   <li>Far from it the law of Stripe's utilization shedder (Tarjan, 2017) applies: no change
 *       between {@link #LOW} of the target and the target, a rise above, a fall below, and a credit
 *       after rest that delays the first drop. Its excess is averaged over a few seconds and
 *       squared, so that a lasting overload counts and fluctuations do not.
 * </ul>
 *
 * <p>All parts are scaled by the share of the traffic that is still admitted, so that the gain of
 * the loop does not depend on how far the offered load exceeds the capacity.
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

  /** The share of the admitted traffic by which a change of the error by 1 moves the level. */
  private static final double PROPORTIONAL = 0.05;

  /** The time in which an error of 1 moves the level by the admitted share. */
  private static final double NEAR_SECONDS = 40;

  /** The time in which a lasting excess of 1 moves the level by the admitted share. */
  private static final double FAR_SECONDS = 20;

  /** The time over which the excess is averaged. */
  private static final double TREND_SECONDS = 5;

  /** How much faster the credit of a backend at rest falls than the level rises. */
  private static final double SPENDING = 4;

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
    double mean = combined(reporters);
    double error = error(setpoint, mean);
    double age = (double) (at - state.at());
    boolean stale = age > HOLD_MICROS;
    double seconds = stale ? 0 : Math.min(age / 1_000_000, MAX_STEP_SECONDS);
    double trend = stale ? 0 : state.trend();
    trend = trend + (excess(setpoint, mean) - trend) * (seconds / TREND_SECONDS);
    double rate = error / NEAR_SECONDS + trend * Math.abs(trend) / FAR_SECONDS;
    double drop = state.drop() > 0 ? level(state, at) : state.drop();
    if (drop < 0 && rate > 0) rate = rate * SPENDING;
    double admitted = 1 - Math.max(0, drop);
    double gain = Math.max(admitted, rate < 0 ? MIN_FALLING_GAIN : MIN_RISING_GAIN);
    double change = stale ? 0 : error - state.error();
    double next = drop + gain * (PROPORTIONAL * change + rate * seconds);
    return new ShedState(
        Math.min(Math.max(next, MIN_DROP), MAX_DROP),
        error,
        trend,
        at,
        state.at() == 0 ? seed : state.seed(),
        reporters);
  }

  /**
   * Returns the error of a signal: 0 at the target, 1 at the ceiling, and as much below the target
   * as above it, down to -1.
   */
  static double error(Setpoint setpoint, double value) {
    double target = setpoint.target();
    return Math.max(-1, Math.min(1, (value - target) / (setpoint.ceiling() - target)));
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
