package io.headgate.redis;

import io.headgate.internal.region.ShareTiming;
import io.headgate.rule.RegionSettings;
import java.time.Duration;

/**
 * The options of a {@link RegionalStore}. Immutable.
 *
 * @param region the name of the region: lower-case letters, digits and dashes
 * @param regional the Redis that the instances of this region share
 * @param home the Redis that has the counters of all regions; a single server or one with Sentinel.
 *     May be the regional one of a region, since its keys have another prefix
 * @param lease how long a region spends its shares while home is unreachable; the same in all
 *     regions. 500 ms to 5 min
 */
public record RegionOptions(
    String region, RedisOptions regional, RedisOptions home, Duration lease) {
  /** The lease if none is set. */
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

  /** How long a request to home waits for the reply if none is set. */
  public static final Duration DEFAULT_HOME_DEADLINE = Duration.ofSeconds(1);

  private static final String HOME_PREFIX = "home:";

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public RegionOptions {
    RegionSettings.requireRegion(region);
    var unused = ShareTiming.ofLease(lease);
    var unusedToo = withPrefix(home);
    if (home.address().topology() == RedisAddress.Topology.CLUSTER) {
      throw new IllegalArgumentException(
          "home can't be a Redis Cluster, whose parts can lose shares one by one; use redis:// or redis-sentinel://");
    }
  }

  /** Creates options with the default lease and deadline of home. */
  public static RegionOptions of(String region, String regional, String home) {
    return new RegionOptions(
        region,
        RedisOptions.of(regional),
        RedisOptions.builder(home).deadline(DEFAULT_HOME_DEADLINE).build(),
        DEFAULT_LEASE);
  }

  /** Returns the options of home with the prefix that keeps its counters apart. */
  RedisOptions homeWithPrefix() {
    return withPrefix(home);
  }

  private static RedisOptions withPrefix(RedisOptions home) {
    return home.toBuilder().prefix(home.prefix() + HOME_PREFIX).build();
  }
}
