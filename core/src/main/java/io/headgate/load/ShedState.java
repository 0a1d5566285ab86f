package io.headgate.load;

import java.util.List;

/**
 * The state of a {@link ShedController} for one backend. Immutable.
 *
 * @param drop the drop level if it is positive; a negative value is the credit of a backend that
 *     was below its target
 * @param error the error of the signal at the last report, from -1 to 1
 * @param trend the excess of the signal, averaged over a few seconds, from -1 to 1
 * @param at the time of the last report, in microseconds; 0 if there was none
 * @param seed a random number that all instances use to select callers; chosen by the first report
 * @param reporters the latest report of each instance of the backend
 */
public record ShedState(
    double drop, double error, double trend, long at, long seed, List<Report> reporters) {
  /** The state before the first report. */
  public static final ShedState FRESH =
      new ShedState(ShedController.MIN_DROP, 0, 0, 0, 0, List.of());

  /** Copies the list. */
  public ShedState {
    reporters = List.copyOf(reporters);
  }

  /**
   * The latest report of one instance.
   *
   * @param reporter identifies the instance
   * @param value the signal, at most the ceiling of the setpoint
   * @param weight the weight of the instance
   * @param at the time of the report, in microseconds
   */
  public record Report(long reporter, double value, double weight, long at) {}
}
