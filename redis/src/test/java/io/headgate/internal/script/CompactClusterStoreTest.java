package io.headgate.internal.script;

import io.headgate.redis.KeyLayout;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.internal.connection.LettuceClients;
import io.headgate.redis.internal.connection.RedisConnection;
import io.headgate.redis.internal.connection.TestConnections;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.SoleCallerContract;
import io.headgate.testkit.TestEffort;
import io.headgate.testkit.redis.RedisCluster;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Runs the part of the store contract that has one caller with counters that share keys, in a Redis
 * Cluster. There a node rejects a script that accesses a slot of another one. {@link
 * CompactStoreTest} runs the same script with concurrent callers.
 */
class CompactClusterStoreTest extends SoleCallerContract {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private static RedisCluster cluster;
  private static LettuceClients clients;
  private static RedisConnection connection;

  @Override
  protected int historyLength() {
    return TestEffort.of(250, 500);
  }

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(3, 0);
    clients =
        new LettuceClients(RedisOptions.builder(cluster.uri()).layout(KeyLayout.COMPACT).build());
    connection = TestConnections.sharingKeys(clients.connect());
    Eventually.holds(
        "the cluster is connected",
        TIMEOUT,
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
        TestConnections.shared(connection), new CounterKeys("headgate:"), TIMEOUT, ticker::micros);
  }
}
