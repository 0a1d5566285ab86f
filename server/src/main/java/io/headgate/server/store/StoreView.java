package io.headgate.server.store;

import io.headgate.cluster.ClusterStatus;
import io.headgate.cluster.ClusterStore;
import io.headgate.redis.KeyLayout;
import io.headgate.redis.RedisStore;
import io.headgate.redis.RegionalStore;
import io.headgate.store.HotKey;
import io.headgate.store.InstanceChannel;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Read-only properties of a store: kind, address, availability, instances, layouts, hot keys. */
public record StoreView(Store store) {
  /** Returns {@code memory}, {@code redis}, {@code cluster} or {@code other}. */
  public String kind() {
    return switch (base()) {
      case MemoryStore memory -> "memory";
      case RedisStore redis -> "redis";
      case ClusterStore cluster -> "cluster";
      default -> "other";
    };
  }

  /** Returns the store of the region if there are several. */
  private Store base() {
    return store instanceof RegionalStore region ? region.regional() : store;
  }

  /** Returns the region of this instance; empty if there are no regions. */
  public Optional<RegionalStore> region() {
    return store instanceof RegionalStore region ? Optional.of(region) : Optional.empty();
  }

  /** Returns whether calls may block on the network, so that event loops must not make them. */
  public boolean isRemote() {
    return !(store instanceof MemoryStore);
  }

  /** Returns the kind and address, without secrets; empty for the memory store. */
  public Optional<String> address() {
    return switch (base()) {
      case RedisStore redis -> Optional.of("redis at " + redis.address());
      case ClusterStore cluster -> Optional.of(ClusterStoreFactory.describe(cluster.options()));
      default -> Optional.empty();
    };
  }

  /** Returns the channel between instances that share the store; empty for the memory store. */
  public Optional<InstanceChannel> broadcast() {
    return switch (base()) {
      case RedisStore redis -> Optional.of(redis.broadcast());
      case ClusterStore cluster -> Optional.of(cluster.channel());
      default -> Optional.empty();
    };
  }

  /** Returns whether the circuit breaker is open, so that failure policies decide. */
  public boolean isUnavailable() {
    return switch (base()) {
      case RedisStore redis -> redis.isUnavailable();
      case ClusterStore cluster -> cluster.isUnavailable();
      default -> false;
    };
  }

  /** Returns the time of the first failure of the current outage; empty while available. */
  public Optional<Instant> unavailableSince() {
    return switch (base()) {
      case RedisStore redis -> redis.unavailableSince();
      case ClusterStore cluster -> cluster.unavailableSince();
      default -> Optional.empty();
    };
  }

  /** Returns how long a check waits for the store; empty for the memory store. */
  public Optional<Duration> timeout() {
    return switch (base()) {
      case RedisStore redis -> Optional.of(redis.deadline());
      case ClusterStore cluster -> Optional.of(cluster.deadline());
      default -> Optional.empty();
    };
  }

  /**
   * Returns the number of counters in memory; empty for Redis, which counts all keys of a database,
   * those of other applications included, and for a cluster, which has to ask all members.
   */
  public OptionalLong trackedKeys() {
    return store instanceof MemoryStore memory
        ? OptionalLong.of(memory.trackedKeys())
        : OptionalLong.empty();
  }

  /** Returns the number of instances that share the store, this one included. */
  public int instances() {
    return switch (base()) {
      case RedisStore redis -> redis.instances();
      case ClusterStore cluster -> cluster.instances();
      default -> 1;
    };
  }

  /** Returns the layout of keys of this instance; empty for a store other than Redis. */
  public Optional<KeyLayout> layout() {
    return base() instanceof RedisStore redis ? Optional.of(redis.layout()) : Optional.empty();
  }

  /** Returns the layouts of the instances that share a Redis; zeros for other stores. */
  public LayoutCounts layouts() {
    return LayoutCounts.of(base() instanceof RedisStore redis ? redis.layouts() : Map.of());
  }

  /** Returns the members of a cluster; empty for other stores, and while this member joins anew. */
  public Optional<ClusterStatus> cluster() {
    if (!(base() instanceof ClusterStore cluster)) return Optional.empty();
    try {
      return Optional.of(cluster.status());
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  /** Returns the most used counters; empty for the memory store, which does not track them. */
  public List<HotKey> hotKeys(int max) {
    return switch (base()) {
      case RedisStore redis -> redis.hotKeys(max);
      case ClusterStore cluster -> cluster.hotKeys(max);
      default -> List.of();
    };
  }

  /** Returns why the store is unavailable; empty while it is available. */
  public Optional<String> problem() {
    return isUnavailable() ? lastProblem() : Optional.empty();
  }

  /** Returns the last failure, of this outage or an earlier one; empty if there was none. */
  public Optional<String> lastProblem() {
    return switch (base()) {
      case RedisStore redis -> redis.lastProblem();
      case ClusterStore cluster -> cluster.lastProblem();
      default -> Optional.empty();
    };
  }
}
