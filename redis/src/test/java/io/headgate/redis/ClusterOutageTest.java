package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.Trouble.Memory;
import io.headgate.redis.Trouble.Severity;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClusterOutageTest {
  private static final Chronicle CHRONICLE = new Chronicle("cluster");
  private static final int SLOT = RedisCluster.slotOf(OutageRules.key(OutageRules.AMPLE));
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start();
  }

  @AfterAll
  static void stop() throws IOException {
    cluster.close();
    CHRONICLE.write();
  }

  @BeforeEach
  void forget() {
    for (var node : cluster.nodes()) {
      if (isPrimary(node)) node.call("FLUSHALL");
    }
  }

  @Test
  void callersAreServedUntilAReplicaHasTakenThePlaceOfADeadPrimary() throws Exception {
    var dead = cluster.primaryOfSlot(SLOT);
    try {
      survives(
          new Trouble(
              "kill -9 of a primary, failover",
              Severity.PARTIAL,
              Memory.LAGGING,
              dead::kill,
              () -> cluster.awaitFailover(SLOT, dead)));
    } finally {
      dead.restart();
      awaitReplica(dead);
    }
  }

  /** It wakes as a primary, and has to be told that it is one no more. */
  @Test
  void callersAreServedUntilAReplicaHasTakenThePlaceOfASilentPrimaryThatThenWakes()
      throws Exception {
    var silent = cluster.primaryOfSlot(SLOT);
    try {
      survives(
          new Trouble(
              "SIGSTOP of a primary, failover, later SIGCONT",
              Severity.PARTIAL,
              Memory.LAGGING,
              silent::pause,
              () -> cluster.awaitFailover(SLOT, silent),
              silent::resume));
    } finally {
      silent.resume();
    }
    assertThat(cluster.primaryOfSlot(SLOT)).isNotSameAs(silent);
    awaitReplica(silent);
  }

  @Test
  void nobodyNoticesThatASlotMovesToAnotherServer() throws Exception {
    var from = cluster.primaryOfSlot(SLOT);
    var to = primaries().stream().filter(node -> node != from).findFirst().orElseThrow();
    survives(
        new Trouble(
            "a slot moves to another primary, and back",
            Severity.NONE,
            Memory.KEPT,
            () -> cluster.migrateSlot(SLOT, to),
            () -> cluster.migrateSlot(SLOT, from)));
  }

  private static void survives(Trouble trouble) throws Exception {
    var site = new Site(RedisAddress.Topology.CLUSTER, cluster.uri(), cluster.nodes());
    var course = new Outage(site, CHRONICLE.decisionsPerPhase()).of(trouble);
    CHRONICLE.note(course);
    Assurances.hold(course);
  }

  private static List<RedisServer> primaries() {
    return cluster.nodes().stream().filter(ClusterOutageTest::isPrimary).toList();
  }

  private static boolean isPrimary(RedisServer node) {
    return node.call("INFO", "replication").text().contains("role:master");
  }

  private static void awaitReplica(RedisServer node) {
    Eventually.holds(
        node + " is a replica in sync",
        Duration.ofSeconds(60),
        () -> node.call("INFO", "replication").text().contains("master_link_status:up"));
  }
}
