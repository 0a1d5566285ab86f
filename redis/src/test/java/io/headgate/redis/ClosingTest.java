package io.headgate.redis;

import io.headgate.testkit.redis.RedisCluster;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClosingTest {
  private static final int TIMES = 20;

  /** Which of them were lost was a matter of chance: about one in ten. */
  @Test
  void noConnectionIsLeftWhenAClusterIsClosedWhileItIsAskedWhoHasWhichSlot() {
    try (var cluster = RedisCluster.start(3, 0)) {
      for (int i = 0; i < TIMES; i++) {
        var clients = new Clients(RedisOptions.of(cluster.uri()));
        var link = (ClusterLink) clients.link();
        link.reconnect();
        link.close();
        clients.close();
      }
      var site = new Site(RedisAddress.Topology.CLUSTER, cluster.uri(), cluster.nodes());
      site.awaitConnections(0, Duration.ofSeconds(20));
    }
  }
}
