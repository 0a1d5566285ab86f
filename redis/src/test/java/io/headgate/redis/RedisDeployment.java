package io.headgate.redis;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;

/**
 * The Redis servers of a test.
 *
 * @param uri the address for the store
 */
public record RedisDeployment(
    RedisAddress.Topology topology, String uri, List<RedisServer> servers) {
  private static final int CLUSTER_DOMAINS = 32;

  /** Returns the number of failure domains, each of which detects an outage by itself. */
  int failureDomains() {
    return topology == RedisAddress.Topology.CLUSTER ? CLUSTER_DOMAINS : 1;
  }

  /**
   * Returns the maximum number of connections. In a cluster there is one for each node that ever
   * had a slot, one for the topology and one for Pub/Sub.
   */
  long maxConnections(long before) {
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

  /** Returns the connections of clients, without those of Sentinels and other servers. */
  List<String> connections() {
    return servers.stream()
        .filter(RedisServer::isAlive)
        .flatMap(server -> server.call("CLIENT", "LIST").text().lines())
        .filter(line -> !line.contains(" cmd=client|list "))
        .filter(line -> !line.contains(" name=sentinel-"))
        .filter(line -> !line.contains(" cmd=restore")) // a node that migrates keys of a slot
        .filter(line -> !line.matches(".* flags=\\w*[SM]\\w* .*"))
        .toList();
  }

  public void awaitConnections(long max, Duration timeout) {
    Eventually.holds(
        "there are no more than %d connections".formatted(max),
        timeout,
        () -> {
          var connections = connections();
          if (connections.size() <= max) return true;
          throw new IllegalStateException(String.join("\n", connections));
        });
  }
}
