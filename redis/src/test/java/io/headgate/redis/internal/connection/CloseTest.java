package io.headgate.redis.internal.connection;

import io.headgate.redis.RedisAddress;
import io.headgate.redis.RedisDeployment;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

class CloseTest {
  private static final int TIMES = 20;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  /** Regression test: about one in ten connections leaked. */
  @Test
  void closeDuringTopologyRefreshLeavesNoConnection() {
    try (var cluster = RedisCluster.start(3, 0)) {
      for (int i = 0; i < TIMES; i++) {
        var clients = new LettuceClients(RedisOptions.of(cluster.uri()));
        var connection = (ClusterConnection) clients.connect();
        connection.reconnect();
        connection.close();
        clients.close();
      }
      var deployment =
          new RedisDeployment(RedisAddress.Topology.CLUSTER, cluster.uri(), cluster.nodes());
      deployment.awaitConnections(0, TIMEOUT);
    }
  }

  /**
   * Regression test: close waited for the event loop while holding the lock that the event loop
   * needed to handle the refused subscription, a deadlock in one of five runs.
   */
  @Test
  @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
  void closeDuringRefusedSubscriptionDoesNotDeadlock() {
    try (var server = RedisServer.start()) {
      server.call("ACL", "SETUSER", "deaf", "on", ">secret", "~*", "&*", "+@all", "-subscribe");
      var options = RedisOptions.of("redis://deaf:secret@127.0.0.1:" + server.port());
      for (int i = 0; i < TIMES; i++) {
        server.call("ACL", "LOG", "RESET");
        var store = RedisStore.connect(options);
        Eventually.holds(
            "the subscription is refused",
            TIMEOUT,
            () -> !server.call("ACL", "LOG").items().isEmpty());
        store.close();
      }
    }
  }
}
