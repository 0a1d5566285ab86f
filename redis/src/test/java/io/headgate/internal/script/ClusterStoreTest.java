package io.headgate.internal.script;

import io.headgate.redis.RedisOptions;
import io.headgate.redis.internal.connection.LettuceClients;
import io.headgate.redis.internal.connection.RedisConnection;
import io.headgate.redis.internal.connection.TestConnections;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.TestEffort;
import io.headgate.testkit.redis.RedisCluster;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ClusterStoreTest extends RedisStoreContract {
  private static RedisCluster cluster;
  private static LettuceClients clients;
  private static RedisConnection connection;

  @Override
  protected int historyLength() {
    return TestEffort.of(
        250, 500); // StandaloneStoreTest plays the full length with the same script
  }

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(3, 0);
    clients = new LettuceClients(RedisOptions.of(cluster.uri()));
    connection = clients.connect();
    // It connects in the background, which may take longer than the first test on a busy machine.
    Eventually.holds(
        "the cluster is connected",
        Duration.ofSeconds(20),
        () -> connection.size().toCompletableFuture().join() == 0);
  }

  @AfterAll
  static void stop() {
    connection.close();
    clients.close();
    cluster.close();
  }

  @Override
  protected Store open(Ticker ticker) {
    cluster.nodes().forEach(node -> node.call("FLUSHALL"));
    return ScriptExecutor.withClock(
        TestConnections.shared(connection),
        new CounterKeys("headgate:"),
        Duration.ofSeconds(10),
        ticker::micros);
  }
}
