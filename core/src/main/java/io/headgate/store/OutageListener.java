package io.headgate.store;

/**
 * Is notified of outages of a store, for logs and metrics.
 *
 * <p>Called on the threads that detect the event, so implementations must be thread-safe and should
 * return quickly. Exceptions are ignored. Calls of {@link #opened} and {@link #closed} alternate.
 */
public interface OutageListener {
  /** Ignores all events. */
  OutageListener NONE = new OutageListener() {};

  /** Called when the store failed to execute a request. */
  default void failed(StoreException.Kind kind) {}

  /**
   * Called when a request was decided without its reply, which is late, while the store was
   * available.
   */
  default void decidedLate(boolean allowed) {}

  /**
   * Called when the circuit breaker has opened: no requests are sent to the store.
   *
   * @param message the kind and the message of the failure
   */
  default void opened(String message) {}

  /**
   * Called when the circuit breaker has closed: requests are sent to the store again.
   *
   * @param outageMicros the time since the first failure
   */
  default void closed(long outageMicros) {}
}
