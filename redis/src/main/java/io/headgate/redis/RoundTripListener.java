package io.headgate.redis;

/**
 * Is notified of each round trip to Redis, for metrics. It runs on the event loop that delivers the
 * replies, so it must return quickly and must not throw.
 */
@FunctionalInterface
public interface RoundTripListener {
  /** Ignores all round trips. */
  RoundTripListener NONE = (commands, nanos) -> {};

  /**
   * Called when a batch was answered or has failed.
   *
   * @param commands the number of commands in the batch
   * @param nanos the time since it was sent
   */
  void onRoundTrip(int commands, long nanos);
}
