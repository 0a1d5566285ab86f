package io.headgate.spring;

import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import java.time.Instant;
import java.util.Optional;

/** The state of a store in memory, or of one without a known state. */
record LocalStoreStatus(Store store) implements StoreStatus {
  @Override
  public String description() {
    return store instanceof MemoryStore ? "memory" : store.getClass().getSimpleName();
  }

  @Override
  public boolean isUnavailable() {
    return false;
  }

  @Override
  public Optional<Instant> unavailableSince() {
    return Optional.empty();
  }

  @Override
  public Optional<String> problem() {
    return Optional.empty();
  }
}
