package io.headgate.server.store;

import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisServerInfo;
import io.headgate.redis.RegionOptions;
import io.headgate.redis.RegionalStore;
import io.headgate.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the store of an instance of one of several regions. */
public final class RegionStoreFactory {
  private static final Logger LOG = LoggerFactory.getLogger(RegionStoreFactory.class);

  /**
   * Opens a store; succeeds even if a Redis is unavailable. The listener of the regional options is
   * notified of outages of the Redis of the region.
   *
   * @throws IllegalArgumentException if a Redis replicates with other primaries, whose last write
   *     of a counter would replace the charges of others
   */
  public static RegionalStore open(RegionOptions options) {
    requireOnePrimary("--store", options.regional());
    if (options.home() instanceof RedisOptions home) requireOnePrimary("--home", home);
    var store = RegionalStore.connect(options, RedisStoreFactory.open(options.regional()));
    LOG.info(
        "region {}: shares limits through home, {}", options.region(), options.home().location());
    store.onHomeChange(problem -> logHome(options, problem));
    return store;
  }

  private static void logHome(RegionOptions options, String problem) {
    if (problem.isEmpty()) {
      LOG.info("region {}: home, {}, grants shares", options.region(), options.home().location());
      return;
    }
    LOG.warn(
        "region {}: home, {}, grants no shares: {}; shares are spent until their leases end, and the"
            + " rest of each shared limit is then denied or allowed by its on-store-failure",
        options.region(),
        options.home().location(),
        problem);
  }

  private static void requireOnePrimary(String option, RedisOptions options) {
    try {
      if (!RedisServerInfo.isActiveActive(options)) return;
    } catch (StoreException e) {
      return; // it is logged when the store is opened
    }
    throw new IllegalArgumentException(
        "%s: Redis at %s has active-active replication, which loses charges; use one primary"
            .formatted(option, options.address()));
  }

  /** Returns the region and its stores, without secrets. */
  public static String describe(RegionOptions options) {
    return "redis at %s of region %s, home at %s, keys %s*"
        .formatted(
            options.regional().address(),
            options.region(),
            options.home().location(),
            options.regional().prefix());
  }

  private RegionStoreFactory() {}
}
