package io.headgate.server.store;

import io.headgate.consistency.HotKey;
import io.headgate.redis.Broadcast;
import io.headgate.redis.RedisStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import java.util.List;
import java.util.Optional;

/** What the service may know of its store. */
public record StoreView(Store store) {
  public String kind() {
    return switch (store) {
      case MemoryStore memory -> "memory";
      case RedisStore redis -> "redis";
      default -> "other";
    };
  }

  /** Whether asking it may take a while, so that an event loop must not. */
  public boolean isRemote() {
    return !(store instanceof MemoryStore);
  }

  /** Where it is, without secrets; empty for this process's memory. */
  public Optional<String> address() {
    return store instanceof RedisStore redis
        ? Optional.of("redis at " + redis.address())
        : Optional.empty();
  }

  /** Where instances that share it leave word for each other. */
  public Optional<Broadcast> bulletin() {
    return store instanceof RedisStore redis ? Optional.of(redis.bulletin()) : Optional.empty();
  }

  /** Whether policies decide instead of it. */
  public boolean isUnavailable() {
    return store instanceof RedisStore redis && redis.isUnavailable();
  }

  /** How many instances share it, this one included. */
  public int instances() {
    return store instanceof RedisStore redis ? redis.instances() : 1;
  }

  /** The counters that are asked about most; in this process's memory nobody looks for them. */
  public List<HotKey> hotKeys(int most) {
    return store instanceof RedisStore redis ? redis.hotKeys(most) : List.of();
  }

  /** Why it is away. */
  public Optional<String> problem() {
    return store instanceof RedisStore redis && redis.isUnavailable()
        ? redis.lastProblem()
        : Optional.empty();
  }
}
