package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.Fault.DataLoss;
import io.headgate.redis.Fault.Severity;
import io.headgate.testkit.redis.RedisSentinelGroup;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SentinelOutageTest {
  private static final OutageReport REPORT = new OutageReport("sentinel");
  private static RedisSentinelGroup group;

  @BeforeAll
  static void start() {
    group = RedisSentinelGroup.start(2); // one to kill, one to stop, one to be left
  }

  @AfterAll
  static void stop() throws IOException {
    group.close();
    REPORT.write();
  }

  @Test
  void callersAreServedDuringFailoverFromKilledPrimary() throws Exception {
    assertSurvives(
        "kill -9 of the primary, failover",
        group::killPrimary,
        group::awaitFailover,
        Fault.Action.NOTHING);
  }

  /** The paused server resumes as a primary and is then demoted. */
  @Test
  void callersAreServedDuringFailoverFromPausedPrimary() throws Exception {
    var paused = group.primary();
    try {
      assertSurvives(
          "SIGSTOP of the primary, failover, later SIGCONT",
          paused::pause,
          group::awaitFailover,
          paused::resume);
    } finally {
      paused.resume();
    }
    assertThat(group.primary()).isNotSameAs(paused);
  }

  private static void assertSurvives(
      String name, Fault.Action inject, Fault.Action repair, Fault.Action afterRecovery)
      throws Exception {
    for (var server : group.servers()) {
      if (server.isAlive() && isPrimary(server)) server.call("FLUSHALL");
    }
    var deployment =
        new RedisDeployment(RedisAddress.Topology.SENTINEL, group.uri(), group.servers());
    var fault =
        new Fault(name, Severity.OUTAGE, DataLoss.REPLICATION_LAG, inject, repair, afterRecovery);
    var result = new OutageRun(deployment, REPORT.decisionsPerPhase()).run(fault);
    REPORT.add(result);
    OutageAssertions.assertAll(result);
  }

  private static boolean isPrimary(RedisServer server) {
    return server.call("INFO", "replication").text().contains("role:master");
  }
}
