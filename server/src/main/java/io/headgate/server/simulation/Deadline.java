package io.headgate.server.simulation;

/**
 * The deadline of a simulation. Tested every {@value #CHECK_INTERVAL} requests, so a simulation may
 * exceed it slightly.
 */
@FunctionalInterface
public interface Deadline {
  /** A deadline that never passes. */
  Deadline NEVER = () -> false;

  /**
   * Requests between tests: rare enough to be cheap, frequent enough for requests that match many
   * thousand rules.
   */
  int CHECK_INTERVAL = 16;

  boolean isOver();

  /**
   * Tests the deadline at every {@value #CHECK_INTERVAL}th request. Called for each request of a
   * simulation.
   *
   * @param number number of the request
   * @throws Overdue if the deadline has passed
   */
  default void check(long number) {
    if (number % CHECK_INTERVAL == 0 && isOver()) throw new Overdue();
  }

  /** Thrown when a simulation exceeds its deadline. */
  final class Overdue extends RuntimeException {
    private static final long serialVersionUID = 1;

    Overdue() {
      super("the simulation took too long", null, false, false);
    }
  }
}
