package io.headgate.internal.script;

/** Is notified of each batch that was answered or has failed. Implementations do not block. */
public interface BatchListener {
  /** Ignores all notifications. */
  BatchListener NONE = (commands, nanos) -> {};

  /**
   * Is called after a round trip.
   *
   * @param commands the number of commands of the batch
   * @param nanos the duration of the round trip
   */
  void onRoundTrip(int commands, long nanos);
}
