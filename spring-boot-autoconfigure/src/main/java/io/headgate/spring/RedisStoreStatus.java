package io.headgate.spring;

import io.headgate.redis.RedisStore;
import java.time.Instant;
import java.util.Optional;

/** The state of a store in Redis. */
record RedisStoreStatus(RedisStore store) implements StoreStatus {
  @Override
  public String description() {
    return "redis at " + store.address();
  }

  @Override
  public boolean isUnavailable() {
    return store.isUnavailable();
  }

  @Override
  public Optional<Instant> unavailableSince() {
    return store.unavailableSince();
  }

  @Override
  public Optional<String> problem() {
    return isUnavailable() ? store.lastProblem() : Optional.empty();
  }
}
