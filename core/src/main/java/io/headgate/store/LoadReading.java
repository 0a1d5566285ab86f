package io.headgate.store;

import io.headgate.load.ShedController;
import io.headgate.load.ShedState;

/**
 * The load of one backend as a store has it.
 *
 * @param drop {@link ShedState#drop}
 * @param value the combined signal of the instances at the last report
 * @param reporters the number of instances that it was combined of
 * @param at the time of the last report by the clock of the store, in microseconds; 0 if there was
 *     none
 * @param now the time of this reading by the clock of the store, in microseconds
 * @param seed {@link ShedState#seed}
 */
public record LoadReading(double drop, double value, int reporters, long at, long now, long seed) {
  /** The reading of a backend that never reported. */
  public static final LoadReading NONE = new LoadReading(0, 0, 0, 0, 0, 0);

  /** Returns the reading of a state at {@code now}. */
  public static LoadReading of(ShedState state, long now) {
    if (state.at() == 0) return NONE;
    double value = ShedController.combined(state.reporters());
    return new LoadReading(
        state.drop(), value, state.reporters().size(), state.at(), now, state.seed());
  }

  /**
   * Returns the share of the traffic to drop.
   *
   * @param elapsed the time since this reading, in microseconds
   */
  public double level(long elapsed) {
    return ShedController.level(drop, at, now + elapsed);
  }
}
