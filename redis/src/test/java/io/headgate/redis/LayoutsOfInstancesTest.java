package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.store.StoreException;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that instances publish their layout of keys, and count those of others. */
class LayoutsOfInstancesTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final String INSTANCES = "headgate:instances";

  /** The time of a heartbeat that is valid during the whole test. */
  private static final String LATER = Long.toString(System.currentTimeMillis() + 3_600_000);

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void flush() {
    server.call("FLUSHALL");
  }

  private static RedisOptions options(String uri, KeyLayout layout) {
    return RedisOptions.builder(uri).layout(layout).build();
  }

  private static void awaitLayouts(RedisStore store, Map<KeyLayout, Integer> layouts) {
    Eventually.holds("layouts are " + layouts, TIMEOUT, () -> store.layouts().equals(layouts));
  }

  @Test
  void instancesSeeTheLayoutsOfAll() {
    try (var separate = RedisStore.connect(options(server.uri(), KeyLayout.SEPARATE));
        var compact = RedisStore.connect(options(server.uri(), KeyLayout.COMPACT))) {
      var both = Map.of(KeyLayout.SEPARATE, 1, KeyLayout.COMPACT, 1);
      awaitLayouts(separate, both);
      awaitLayouts(compact, both);
      assertThat(separate.layout()).isEqualTo(KeyLayout.SEPARATE);
      assertThat(compact.layout()).isEqualTo(KeyLayout.COMPACT);
      assertThat(compact.instances()).isEqualTo(2);
    }
  }

  @Test
  void instanceIsAloneBeforeItsFirstHeartbeat() {
    var stopped = RedisServer.start();
    stopped.close();
    try (var store = RedisStore.connect(options(stopped.uri(), KeyLayout.COMPACT))) {
      assertThat(store.layouts()).isEqualTo(Map.of(KeyLayout.COMPACT, 1));
      assertThat(store.instances()).isEqualTo(1);
    }
  }

  @Test
  void heartbeatWithoutALayoutIsOfTheLayoutSeparate() {
    server.call("ZADD", INSTANCES, LATER, "0b5a3c1e-6f1d-4d2a-9a55-0c4f6a1f7a10");
    try (var store = RedisStore.connect(options(server.uri(), KeyLayout.COMPACT))) {
      awaitLayouts(store, Map.of(KeyLayout.SEPARATE, 1, KeyLayout.COMPACT, 1));
    }
  }

  @Test
  void layoutsOfTheLatestInstancesAreCounted() {
    for (int i = 0; i < 300; i++) server.call("ZADD", INSTANCES, LATER, "id-" + i + " compact");
    try (var store = RedisStore.connect(options(server.uri(), KeyLayout.COMPACT))) {
      awaitLayouts(store, Map.of(KeyLayout.COMPACT, 256));
      assertThat(store.instances()).isEqualTo(301);
    }
  }

  @Test
  void layoutsAreReadWithoutAHeartbeat() {
    var options = options(server.uri(), KeyLayout.SEPARATE);
    assertThat(RedisServerInfo.layouts(options)).isEmpty();
    server.call("ZADD", INSTANCES, LATER, "a compact");
    server.call("ZADD", INSTANCES, LATER, "b separate");
    server.call("ZADD", INSTANCES, LATER, "c separate");
    server.call("ZADD", INSTANCES, "1000", "of-long-ago compact");
    assertThat(RedisServerInfo.layouts(options))
        .isEqualTo(Map.of(KeyLayout.SEPARATE, 2, KeyLayout.COMPACT, 1));
    assertThat(server.call("ZCARD", INSTANCES).number()).as("nothing changed").isEqualTo(4);
    var other = options.toBuilder().prefix("other:").build();
    assertThat(RedisServerInfo.layouts(other)).isEmpty();
  }

  @Test
  void layoutsAreReadFromTheNodeOfAClusterThatHasThem() {
    try (var cluster = RedisCluster.start()) {
      var options = options(cluster.uri(), KeyLayout.COMPACT);
      try (var store = RedisStore.connect(options)) {
        Eventually.holds(
            "the heartbeat has arrived",
            TIMEOUT,
            () -> RedisServerInfo.layouts(options).equals(store.layouts()));
      }
    }
  }

  @Test
  void layoutsOfAnUnreachableServerFailWithItsAddress() {
    var stopped = RedisServer.start();
    stopped.close();
    var options = RedisOptions.of(stopped.uri());
    assertThatThrownBy(() -> RedisServerInfo.layouts(options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("127.0.0.1:" + stopped.port());
  }
}
