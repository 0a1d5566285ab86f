package io.headgate.load;

/**
 * A {@link ConcurrencyController} with its state in one mutable object, for a store that guards it
 * by a lock. Computes the same numbers and allocates nothing. Not thread-safe.
 */
public final class LiveController {
  private final ConcurrencyController controller;
  private final double[] values;

  /** Creates a controller that continues from a state. */
  public LiveController(ConcurrencyController controller, ControllerState state) {
    this.controller = controller;
    this.values = state.toArray();
  }

  /** Applies {@link ConcurrencyController#completed} to the state. */
  public void completed(long now, CallSample sample) {
    ControllerLaw.complete(controller, values, now, sample);
  }

  /** Returns the highest number of calls in flight at present. */
  public int limit() {
    return (int) values[0];
  }

  /** Returns a copy of the present state. */
  public ControllerState state() {
    return ControllerState.wrap(values.clone());
  }
}
