package io.headgate.cluster;

import com.tangosol.net.CacheFactory;
import com.tangosol.net.CacheService;

/** The caches of the grid of this process. */
final class GridCaches {
  private GridCaches() {}

  /** Removes the cache of counters, so that the members are as before the first one created it. */
  static void dropCounters() {
    var service = (CacheService) CacheFactory.getCluster().getService("HeadgateCounters");
    service.destroyCache(service.ensureCache("counters", GridCaches.class.getClassLoader()));
  }
}
