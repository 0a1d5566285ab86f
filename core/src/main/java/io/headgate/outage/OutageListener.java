package io.headgate.outage;

import io.headgate.store.StoreException;

/**
 * Hears of outages, for logs and metrics. Called by the threads that notice, so it should be quick;
 * what it throws is dropped. {@link #opened} and {@link #closed} take turns.
 */
public interface OutageListener {
  /** Does nothing. */
  OutageListener NONE = new OutageListener() {};

  /** A request could not be decided by the store. */
  default void failed(StoreException.Kind kind) {}

  /** From now on the store is not asked. */
  default void opened(String message) {}

  /**
   * From now on it is asked again.
   *
   * @param outageMicros since the first failure
   */
  default void closed(long outageMicros) {}
}
