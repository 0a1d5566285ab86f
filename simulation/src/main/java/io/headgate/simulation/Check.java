package io.headgate.simulation;

/** An oracle: sees every decision and says what is wrong by {@link World#fail}. */
interface Check {
  /** A request is about to be decided. */
  default void offered(World world, World.Offer offer) {}

  default void decided(World world, Decision decision) {}

  /** After the last event, when all messages have arrived. */
  default void ended(World world) {}
}
