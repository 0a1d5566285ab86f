package io.headgate.server.store;

import io.headgate.redis.Broadcast;
import io.headgate.redis.RedisStore;
import io.headgate.store.HotKey;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Read-only properties of a store: kind, address, availability, instances, hot keys. */
public record StoreView(Store store) {
  /** Returns {@code memory}, {@code redis} or {@code other}. */
  public String kind() {
    return switch (store) {
      case MemoryStore memory -> "memory";
      case RedisStore redis -> "redis";
      default -> "other";
    };
  }

  /** Returns whether calls may block on the network, so that event loops must not make them. */
  public boolean isRemote() {
    return !(store instanceof MemoryStore);
  }

  /** Returns the kind and address, without secrets; empty for the memory store. */
  public Optional<String> address() {
    return store instanceof RedisStore redis
        ? Optional.of("redis at " + redis.address())
        : Optional.empty();
  }

  /** Returns the channel between instances that share the store; empty for the memory store. */
  public Optional<Broadcast> broadcast() {
    return store instanceof RedisStore redis ? Optional.of(redis.broadcast()) : Optional.empty();
  }

  /** Returns whether the circuit breaker is open, so that failure policies decide. */
  public boolean isUnavailable() {
    return store instanceof RedisStore redis && redis.isUnavailable();
  }

  /** Returns the time of the first failure of the current outage; empty while available. */
  public Optional<Instant> unavailableSince() {
    return store instanceof RedisStore redis ? redis.unavailableSince() : Optional.empty();
  }

  /** Returns how long a check waits for the store; empty for the memory store. */
  public Optional<Duration> timeout() {
    return store instanceof RedisStore redis ? Optional.of(redis.deadline()) : Optional.empty();
  }

  /**
   * Returns the number of counters in memory; empty for Redis, which counts all keys of a database,
   * those of other applications included.
   */
  public OptionalLong trackedKeys() {
    return store instanceof MemoryStore memory
        ? OptionalLong.of(memory.trackedKeys())
        : OptionalLong.empty();
  }

  /** Returns the number of instances that share the store, this one included. */
  public int instances() {
    return store instanceof RedisStore redis ? redis.instances() : 1;
  }

  /** Returns the most used counters; empty for the memory store, which does not track them. */
  public List<HotKey> hotKeys(int max) {
    return store instanceof RedisStore redis ? redis.hotKeys(max) : List.of();
  }

  /** Returns why the store is unavailable; empty while it is available. */
  public Optional<String> problem() {
    return isUnavailable() ? lastProblem() : Optional.empty();
  }

  /** Returns the last failure, of this outage or an earlier one; empty if there was none. */
  public Optional<String> lastProblem() {
    return store instanceof RedisStore redis ? redis.lastProblem() : Optional.empty();
  }
}
