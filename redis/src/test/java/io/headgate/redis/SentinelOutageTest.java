package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.Trouble.Memory;
import io.headgate.redis.Trouble.Severity;
import io.headgate.testkit.redis.RedisSentinelGroup;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SentinelOutageTest {
  private static final Chronicle CHRONICLE = new Chronicle("sentinel");
  private static RedisSentinelGroup group;

  @BeforeAll
  static void start() {
    group = RedisSentinelGroup.start(2); // one to kill, one to stop, one to be left
  }

  @AfterAll
  static void stop() throws IOException {
    group.close();
    CHRONICLE.write();
  }

  @Test
  void callersAreServedUntilAReplicaHasTakenThePlaceOfADeadPrimary() throws Exception {
    survives(
        "kill -9 of the primary, failover",
        group::killPrimary,
        group::awaitFailover,
        Trouble.Act.NOTHING);
  }

  /** It wakes as a primary, and has to be told that it is one no more. */
  @Test
  void callersAreServedUntilAReplicaHasTakenThePlaceOfASilentPrimaryThatThenWakes()
      throws Exception {
    var silent = group.primary();
    try {
      survives(
          "SIGSTOP of the primary, failover, later SIGCONT",
          silent::pause,
          group::awaitFailover,
          silent::resume);
    } finally {
      silent.resume();
    }
    assertThat(group.primary()).isNotSameAs(silent);
  }

  private static void survives(
      String name, Trouble.Act strikes, Trouble.Act ends, Trouble.Act aftermath) throws Exception {
    for (var server : group.servers()) {
      if (server.isAlive() && isPrimary(server)) server.call("FLUSHALL");
    }
    var site = new Site(RedisAddress.Topology.SENTINEL, group.uri(), group.servers());
    var trouble = new Trouble(name, Severity.OUTAGE, Memory.LAGGING, strikes, ends, aftermath);
    var course = new Outage(site, CHRONICLE.decisionsPerPhase()).of(trouble);
    CHRONICLE.note(course);
    Assurances.hold(course);
  }

  private static boolean isPrimary(RedisServer server) {
    return server.call("INFO", "replication").text().contains("role:master");
  }
}
