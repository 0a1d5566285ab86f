package io.headgate.redis;

import io.headgate.testkit.redis.RedisServer;
import java.util.List;

/**
 * Servers in some topology, as a test sees them.
 *
 * @param uri how the store finds them
 */
record Site(RedisAddress.Topology topology, String uri, List<RedisServer> servers) {
  private static final int CLUSTER_ZONES = 32;

  /** How many parts can be away by themselves: each has to find out by itself, then. */
  int zones() {
    return topology == RedisAddress.Topology.CLUSTER ? CLUSTER_ZONES : 1;
  }

  /**
   * In a cluster there is one to each server that ever had a slot, one to find out, one to hear.
   */
  long mostConnections(long before) {
    return topology == RedisAddress.Topology.CLUSTER ? servers.size() + 2 : before;
  }

  String version() {
    return servers.stream()
        .filter(RedisServer::isAlive)
        .flatMap(server -> server.call("INFO", "server").text().lines())
        .filter(line -> line.startsWith("redis_version:"))
        .findFirst()
        .map(line -> "Redis " + line.substring(line.indexOf(':') + 1))
        .orElseThrow();
  }

  /** Connections of clients, which neither sentinels nor servers are. */
  long connections() {
    return servers.stream()
        .filter(RedisServer::isAlive)
        .flatMap(server -> server.call("CLIENT", "LIST").text().lines())
        .filter(line -> !line.contains(" cmd=client|list "))
        .filter(line -> !line.contains(" name=sentinel-"))
        .filter(line -> !line.contains(" cmd=restore")) // a server that sent a slot's keys
        .filter(line -> !line.matches(".* flags=\\w*[SM]\\w* .*"))
        .count();
  }
}
