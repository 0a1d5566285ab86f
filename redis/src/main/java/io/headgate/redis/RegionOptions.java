package io.headgate.redis;

import io.headgate.internal.region.ShareTiming;
import io.headgate.internal.script.BatchListener;
import io.headgate.rule.RegionSettings;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of a {@link RegionalStore}. Immutable.
 *
 * @param region the name of the region: lower-case letters, digits and dashes
 * @param regional the Redis that the instances of this region share
 * @param home the Redis that has the counters of all regions, a single server or one with Sentinel,
 *     or the service of a region that has a connection to it. The Redis may be the regional one of
 *     a region, since its keys have another prefix. Both have the layout {@link KeyLayout#SEPARATE}
 * @param lease how long a region spends its shares while home is unreachable; the same in all
 *     regions. 500 ms to 5 min
 */
public record RegionOptions(String region, RedisOptions regional, RegionHome home, Duration lease) {
  /** The lease if none is set. */
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

  /** How long a request to home waits for the reply if none is set. */
  public static final Duration DEFAULT_HOME_DEADLINE = Duration.ofSeconds(1);

  private static final String HOME_PREFIX = "home:";

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public RegionOptions {
    RegionSettings.requireRegion(region);
    var unused = ShareTiming.ofLease(lease);
    requireSeparateKeys(regional.layout());
    if (home instanceof RedisOptions redis) {
      requireOneServer(withPrefix(redis));
      requireSeparateKeys(redis.layout());
    }
  }

  /** Throws {@link IllegalArgumentException} for a layout that regions can't have. */
  static void requireSeparateKeys(KeyLayout layout) {
    if (layout != KeyLayout.SEPARATE) {
      throw new IllegalArgumentException(
          "the key layout compact can't be combined with a home of regions; use the layout separate");
    }
  }

  private static void requireOneServer(RedisOptions home) {
    if (home.address().topology() == RedisAddress.Topology.CLUSTER) {
      throw new IllegalArgumentException(
          "home can't be a Redis Cluster, whose parts can lose shares one by one; use redis:// or redis-sentinel://");
    }
  }

  /**
   * Creates options with the default lease and deadline of home.
   *
   * @param home the address of a Redis, or {@code http://} or {@code https://} and that of a
   *     service without a token
   */
  public static RegionOptions of(String region, String regional, String home) {
    return new RegionOptions(
        region,
        RedisOptions.of(regional),
        HomeService.isService(home)
            ? HomeService.of(home, Optional.empty(), DEFAULT_HOME_DEADLINE)
            : RedisOptions.builder(home).deadline(DEFAULT_HOME_DEADLINE).build(),
        DEFAULT_LEASE);
  }

  /** Connects to home; its counters in a Redis have a prefix that keeps them apart. */
  HomeLink connectToHome() {
    return switch (home) {
      case RedisOptions redis -> new RedisHome(withPrefix(redis), lease);
      case HomeService service -> new ServiceHome(service, lease);
    };
  }

  /** Returns the listener of round trips to home. */
  BatchListener homeListener() {
    return switch (home) {
      case RedisOptions redis -> redis.roundTripListener()::onRoundTrip;
      case HomeService service -> BatchListener.NONE;
    };
  }

  private static RedisOptions withPrefix(RedisOptions home) {
    return home.toBuilder().prefix(home.prefix() + HOME_PREFIX).build();
  }
}
