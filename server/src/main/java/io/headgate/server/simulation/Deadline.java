package io.headgate.server.simulation;

/** How long somebody waits for a trial. Looked at now and then, so a trial may go on a little. */
@FunctionalInterface
public interface Deadline {
  Deadline ENDLESS = () -> false;

  /** Rarely enough to cost nothing, often enough where one request meets many thousand rules. */
  int LOOK_EVERY = 16;

  boolean isOver();

  /** To be called for each request of a trial, with its number. */
  default void check(long number) {
    if (number % LOOK_EVERY == 0 && isOver()) throw new Overdue();
  }

  /** A trial that took too long. */
  final class Overdue extends RuntimeException {
    private static final long serialVersionUID = 1;

    Overdue() {
      super("the trial took too long", null, false, false);
    }
  }
}
