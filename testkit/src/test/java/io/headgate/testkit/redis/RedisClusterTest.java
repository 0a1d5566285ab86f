package io.headgate.testkit.redis;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** All tests share one cluster and leave it healthy. */
class RedisClusterTest {
  private static final List<String> KEYS =
      List.of(
          "", "k", "user:42", "{}", "{}k", "a{b}c", "a{b}{c}", "a{{b}}c", "}{", "k{", "k}",
          "ä{ü}ö");

  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void slotsAreDividedAmongThreePrimaries() {
    assertThat(cluster.nodes()).hasSize(6);
    assertThat(cluster.uri())
        .isEqualTo(
            "redis-cluster://"
                + cluster.nodes().stream().map(n -> "127.0.0.1:" + n.port()).collect(joining(",")));
    assertThat(primaries()).hasSize(3);
    assertThatThrownBy(() -> cluster.primaryOfSlot(16_384))
        .hasMessage(
            "a slot must be from 0 to 16383, got 16384; slotOf(key) returns the slot of a key");
  }

  @Test
  void slotOfAKeyEqualsTheServers() {
    var node = cluster.primaryOfSlot(0);
    for (var key : KEYS) {
      assertThat(RedisCluster.slotOf(key))
          .as(key)
          .isEqualTo((int) node.call("CLUSTER", "KEYSLOT", key).number());
    }
    for (int i = 0; i < 200; i++) {
      var key = "key-" + i * 7_919;
      assertThat(RedisCluster.slotOf(key))
          .isEqualTo((int) node.call("CLUSTER", "KEYSLOT", key).number());
    }
  }

  @Test
  void migrationMovesKeysAndTheOldOwnerRedirects() {
    int slot = RedisCluster.slotOf("{moving}");
    var from = cluster.primaryOfSlot(slot);
    var to = primaries().stream().filter(node -> node != from).findFirst().orElseThrow();
    for (int i = 0; i < 150; i++) from.call("SET", "{moving}" + i, "v" + i);

    cluster.migrateSlot(slot, to);

    assertThat(cluster.primaryOfSlot(slot)).isSameAs(to);
    for (int i = 0; i < 150; i++) {
      assertThat(to.call("GET", "{moving}" + i).text()).isEqualTo("v" + i);
    }
    assertThatThrownBy(() -> from.call("GET", "{moving}1"))
        .isInstanceOf(RedisError.class)
        .hasMessage("MOVED %d 127.0.0.1:%d".formatted(slot, to.port()));
    assertThat(from.call("CLUSTER", "COUNTKEYSINSLOT", Integer.toString(slot)).number()).isZero();
  }

  @Test
  void replicaTakesOverAndTheFormerPrimaryReturnsAsReplica() {
    int slot = RedisCluster.slotOf("{failing}");
    var first = cluster.primaryOfSlot(slot);
    first.call("SET", "{failing}", "v");
    assertThat(first.call("WAIT", "1", "5000").number()).isEqualTo(1);

    assertThat(cluster.killPrimaryOfSlot(slot)).isSameAs(first);
    var second = cluster.awaitFailover(slot, first);

    assertThat(second).isNotSameAs(first).isSameAs(cluster.primaryOfSlot(slot));
    assertThat(second.call("GET", "{failing}").text()).isEqualTo("v");
    first.restart();
    Eventually.holds(
        "the old primary follows the new one",
        Duration.ofSeconds(30),
        () ->
            first.reports("master_port:" + second.port(), "INFO", "replication")
                && first.reports("master_link_status:up", "INFO", "replication"));
  }

  @Test
  void clusterWithoutPrimaryIsRejected() {
    assertThatThrownBy(() -> RedisCluster.start(0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a cluster needs at least 1 primary and 0 replicas each, got 0 and 1");
  }

  private static Set<RedisServer> primaries() {
    return IntStream.iterate(0, slot -> slot < HashSlot.COUNT, slot -> slot + 1_000)
        .mapToObj(cluster::primaryOfSlot)
        .collect(Collectors.toSet());
  }
}
