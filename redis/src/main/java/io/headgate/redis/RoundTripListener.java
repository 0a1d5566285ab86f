package io.headgate.redis;

/**
 * Hears of each call to Redis, for metrics. Called by the thread that brings the answer to
 * everybody who waits for one, so it must be quick, and must not throw.
 */
@FunctionalInterface
public interface RoundTripListener {
  /** Has no use for what it hears. */
  RoundTripListener NONE = (questions, nanos) -> {};

  /**
   * A call has been answered, or has failed.
   *
   * @param questions how many were asked by it
   * @param nanos since it was sent
   */
  void ended(int questions, long nanos);
}
