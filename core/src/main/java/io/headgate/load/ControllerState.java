package io.headgate.load;

import java.util.Arrays;

/**
 * The state of a {@link ConcurrencyController}: a fixed number of doubles, of which the first is
 * the present limit. Immutable. The other numbers are for the controller alone.
 */
public final class ControllerState {
  /** The number of doubles of a state. */
  public static final int SIZE = 24;

  /** The highest magnitude of a number in a state; above all times and sums that occur. */
  static final double MAX_VALUE = 1e30;

  private final double[] values;

  private ControllerState(double[] values) {
    this.values = values;
  }

  /**
   * Returns the state of an array that {@link #toArray} returned.
   *
   * @throws IllegalArgumentException if the array has another length, or a number that no state has
   */
  public static ControllerState of(double[] values) {
    if (values.length != SIZE) {
      throw new IllegalArgumentException(
          "a controller state has %d numbers, got %d".formatted(SIZE, values.length));
    }
    for (int i = 0; i < SIZE; i++) {
      double lowest = ControllerLaw.isSigned(i) ? -MAX_VALUE : 0;
      if (!(values[i] >= lowest && values[i] <= MAX_VALUE)) { // also refuses NaN
        throw new IllegalArgumentException(
            "number %d of a controller state must be %g to %g, got %s"
                .formatted(i, lowest, MAX_VALUE, values[i]));
      }
    }
    double limit = values[0];
    if (!(limit >= 1 && limit <= ConcurrencyController.MAX_LIMIT)) {
      throw new IllegalArgumentException(
          "a limit must be 1 to %d, got %s".formatted(ConcurrencyController.MAX_LIMIT, limit));
    }
    return new ControllerState(values.clone());
  }

  /** Wraps an array without a copy. The array must not be changed afterwards. */
  static ControllerState wrap(double[] values) {
    return new ControllerState(values);
  }

  /** Returns the highest number of calls in flight at present. */
  public int limit() {
    return (int) values[0];
  }

  /** Returns a copy of the numbers, for {@link #of}. */
  public double[] toArray() {
    return values.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ControllerState that && Arrays.equals(values, that.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    return "ControllerState[limit=%d, values=%s]".formatted(limit(), Arrays.toString(values));
  }
}
