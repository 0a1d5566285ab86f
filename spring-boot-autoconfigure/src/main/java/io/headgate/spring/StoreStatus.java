package io.headgate.spring;

import java.time.Instant;
import java.util.Optional;

/**
 * The state of the store, for health and metrics. Implementations are thread-safe. An application
 * with a store of its own may declare one as a bean.
 */
public interface StoreStatus {
  /** Returns the kind and address of the store, without secrets. */
  String description();

  /** Returns whether failure policies decide because the store can't be used. */
  boolean isUnavailable();

  /** Returns the time of the first failure of the current outage; empty while available. */
  Optional<Instant> unavailableSince();

  /** Returns why the store is unavailable; empty while it is available. */
  Optional<String> problem();
}
