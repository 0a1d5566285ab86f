package io.headgate.redis;

import io.headgate.redis.internal.connection.ClusterConnection;
import io.headgate.redis.internal.connection.LettuceClients;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

class ClosingTest {
  private static final int TIMES = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Which of them were lost was a matter of chance: about one in ten. */
  @Test
  void noConnectionIsLeftWhenAClusterIsClosedWhileItIsAskedWhoHasWhichSlot() {
    try (var cluster = RedisCluster.start(3, 0)) {
      for (int i = 0; i < TIMES; i++) {
        var clients = new LettuceClients(RedisOptions.of(cluster.uri()));
        var link = (ClusterConnection) clients.link();
        link.reconnect();
        link.close();
        clients.close();
      }
      var site = new Site(RedisAddress.Topology.CLUSTER, cluster.uri(), cluster.nodes());
      site.awaitConnections(0, PATIENCE);
    }
  }

  /**
   * Lettuce's thread says that the subscription is refused, and is needed to end the connection:
   * who waited for it with the lock that it wants to have waited for ever, one time in five.
   */
  @Test
  @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
  void aStoreIsClosedWhileItIsToldThatItMayNotListen() {
    try (var server = RedisServer.start()) {
      server.call("ACL", "SETUSER", "deaf", "on", ">secret", "~*", "&*", "+@all", "-subscribe");
      var options = RedisOptions.of("redis://deaf:secret@127.0.0.1:" + server.port());
      for (int i = 0; i < TIMES; i++) {
        server.call("ACL", "LOG", "RESET");
        var store = RedisStore.connect(options);
        Eventually.holds(
            "it is refused", PATIENCE, () -> !server.call("ACL", "LOG").items().isEmpty());
        store.close();
      }
    }
  }
}
