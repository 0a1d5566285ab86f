package io.headgate.load;

/**
 * The value at which a controller keeps a signal.
 *
 * @param target the value to keep; above 0
 * @param ceiling the value from which on the controller acts at its full rate; above the target.
 *     Higher values of the signal count as this one
 */
public record Setpoint(double target, double ceiling) {
  /** The highest target: about 30 years in milliseconds. */
  static final double MAX_TARGET = 1e12;

  /** Throws {@link IllegalArgumentException} if a value is out of range. */
  public Setpoint {
    if (!(target > 0 && target <= MAX_TARGET && ceiling > target && ceiling <= 2 * MAX_TARGET)) {
      throw new IllegalArgumentException(
          "a target must be above 0 and below its ceiling, got %s and %s"
              .formatted(target, ceiling));
    }
  }

  /** Returns the setpoint of a signal: a share has the ceiling 1, a time twice its target. */
  static Setpoint of(SignalKind signal, double target) {
    return new Setpoint(target, signal.isShare() ? 1 : 2 * target);
  }
}
