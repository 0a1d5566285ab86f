package io.headgate.simulation;

/** A test oracle: it receives every decision and reports violations to {@link World#fail}. */
interface Check {
  /** Called before a request is decided. */
  default void offered(World world, World.Offer offer) {}

  /** Called after a request was decided. */
  default void decided(World world, TimedDecision decision) {}

  /** Called after the last event, when all messages have arrived. */
  default void ended(World world) {}
}
