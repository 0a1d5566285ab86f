package io.headgate.load;

/**
 * Finds the number of calls in flight at which throughput stops growing and latency begins to.
 *
 * <p>Pure and immutable. The limit is raised while it is used and latency stays at its base, and
 * lowered when latency exceeds the base or calls are dropped.
 *
 * @param min the lowest limit
 * @param max the highest limit
 * @param initial the limit before the first measurement
 */
public record ConcurrencyController(int min, int max, int initial) {
  /** The highest limit of any controller. */
  public static final int MAX_LIMIT = 100_000;

  /** Validates the bounds; throws {@link IllegalArgumentException} if they are out of order. */
  public ConcurrencyController {
    if (min < 1 || max > MAX_LIMIT || min > initial || initial > max) {
      throw new IllegalArgumentException(
          "an adaptive limit needs 1 <= min <= initial <= max <= %d, got min %d, initial %d, max %d"
              .formatted(MAX_LIMIT, min, initial, max));
    }
  }

  /** Creates a controller that starts at {@code min}, or at 20 if that is between the bounds. */
  public static ConcurrencyController of(int min, int max) {
    return new ConcurrencyController(min, max, Math.clamp(20, min, Math.max(min, max)));
  }

  /** Returns the state before the first measurement. */
  public ControllerState start() {
    var values = new double[ControllerState.SIZE];
    values[0] = initial;
    return ControllerState.wrap(values);
  }

  /**
   * Returns the state after a call has completed.
   *
   * @param state the state before, of this controller or of one with other bounds
   * @param now the time in microseconds since the epoch; may step back
   * @param sample the measurement of the call
   */
  public ControllerState completed(ControllerState state, long now, CallSample sample) {
    var values = state.toArray();
    ControllerLaw.complete(this, values, now, sample);
    return ControllerState.wrap(values);
  }
}
