package io.headgate.redis;

import io.headgate.testkit.redis.RedisServer;
import java.util.List;

/**
 * Servers in some topology, as a test sees them.
 *
 * @param uri how the store finds them
 */
record Site(String topology, String uri, List<RedisServer> servers) {
  /** Connections of clients, which neither sentinels nor servers are. */
  long connections() {
    return servers.stream()
        .filter(RedisServer::isAlive)
        .flatMap(server -> server.call("CLIENT", "LIST").text().lines())
        .filter(line -> !line.contains(" cmd=client|list "))
        .filter(line -> !line.contains(" name=sentinel-"))
        .filter(line -> !line.matches(".* flags=\\w*[SM]\\w* .*"))
        .count();
  }
}
