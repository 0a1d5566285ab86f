package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.Fault.DataLoss;
import io.headgate.redis.Fault.Severity;
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
  private static final OutageReport REPORT = new OutageReport("cluster");
  private static final int SLOT = RedisCluster.slotOf(OutageRules.key(OutageRules.AMPLE));
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start();
  }

  @AfterAll
  static void stop() throws IOException {
    cluster.close();
    REPORT.write();
  }

  @BeforeEach
  void flushAll() {
    for (var node : cluster.nodes()) {
      if (isPrimary(node)) node.call("FLUSHALL");
    }
  }

  @Test
  void callersAreServedDuringFailoverFromKilledPrimary() throws Exception {
    var dead = cluster.primaryOfSlot(SLOT);
    try {
      assertSurvives(
          new Fault(
              "kill -9 of a primary, failover",
              Severity.PARTIAL,
              DataLoss.REPLICATION_LAG,
              dead::kill,
              () -> cluster.awaitFailover(SLOT, dead)));
    } finally {
      dead.restart();
      awaitReplica(dead);
    }
  }

  /** The paused server resumes as a primary and is then demoted. */
  @Test
  void callersAreServedDuringFailoverFromPausedPrimary() throws Exception {
    var paused = cluster.primaryOfSlot(SLOT);
    try {
      assertSurvives(
          new Fault(
              "SIGSTOP of a primary, failover, later SIGCONT",
              Severity.PARTIAL,
              DataLoss.REPLICATION_LAG,
              paused::pause,
              () -> cluster.awaitFailover(SLOT, paused),
              paused::resume));
    } finally {
      paused.resume();
    }
    assertThat(cluster.primaryOfSlot(SLOT)).isNotSameAs(paused);
    awaitReplica(paused);
  }

  @Test
  void slotMigrationCausesNoFailures() throws Exception {
    var from = cluster.primaryOfSlot(SLOT);
    var to = primaries().stream().filter(node -> node != from).findFirst().orElseThrow();
    assertSurvives(
        new Fault(
            "a slot moves to another primary, and back",
            Severity.NONE,
            DataLoss.NOTHING_LOST,
            () -> cluster.migrateSlot(SLOT, to),
            () -> cluster.migrateSlot(SLOT, from)));
  }

  private static void assertSurvives(Fault fault) throws Exception {
    var deployment =
        new RedisDeployment(RedisAddress.Topology.CLUSTER, cluster.uri(), cluster.nodes());
    var result = new OutageRun(deployment, REPORT.decisionsPerPhase()).run(fault);
    REPORT.add(result);
    OutageAssertions.assertAll(result);
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
