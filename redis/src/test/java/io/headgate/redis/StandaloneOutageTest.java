package io.headgate.redis;

import io.headgate.redis.Trouble.Memory;
import io.headgate.redis.Trouble.Severity;
import io.headgate.testkit.net.FaultProxy;
import io.headgate.testkit.net.FreePorts;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StandaloneOutageTest {
  private static final Chronicle CHRONICLE = new Chronicle("standalone");

  private RedisServer server;
  private FaultProxy proxy;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    proxy = FaultProxy.to(server.port());
  }

  @AfterEach
  void stop() {
    proxy.close();
    server.close();
  }

  @AfterAll
  static void write() throws IOException {
    CHRONICLE.write();
  }

  @Test
  void callersAreServedWhileTheServerIsDeadAndComeBackToItWhenItIsStartedEmpty() throws Exception {
    survives(
        "kill -9, then restarted empty",
        Severity.OUTAGE,
        Memory.LOST,
        server::kill,
        server::restart);
  }

  @Test
  void callersAreServedWhileTheServerIsStopped() throws Exception {
    survives("SIGSTOP, then SIGCONT", Severity.OUTAGE, Memory.KEPT, server::pause, server::resume);
  }

  @Test
  void callersAreServedWhileTheNetworkSwallowsEverything() throws Exception {
    survives("blackhole", Severity.OUTAGE, Memory.KEPT, proxy::blackhole, proxy::pass);
  }

  @Test
  void callersAreServedWhileAnAnswerTakesLongerThanTheDeadline() throws Exception {
    survives(
        "answers 200 ms late",
        Severity.OUTAGE,
        Memory.KEPT,
        () -> proxy.delay(Duration.ofMillis(100)),
        proxy::pass);
  }

  @Test
  void callersAreServedWhileConnectionsAreRefused() throws Exception {
    survives(
        "connections reset and refused", Severity.OUTAGE, Memory.KEPT, proxy::refuse, proxy::pass);
  }

  @Test
  void callersAreServedThroughARestart() throws Exception {
    survives(
        "restarted empty at once",
        Severity.BRIEF,
        Memory.LOST,
        server::restart,
        Trouble.Act.NOTHING);
  }

  @Test
  void nobodyNoticesThatTheScriptsAreFlushed() throws Exception {
    survives(
        "SCRIPT FLUSH",
        Severity.NONE,
        Memory.KEPT,
        () -> server.call("SCRIPT", "FLUSH"),
        Trouble.Act.NOTHING);
  }

  @Test
  void nobodyNoticesThatEverythingIsFlushedButTheLimitsBeginAnew() throws Exception {
    survives(
        "FLUSHALL", Severity.NONE, Memory.LOST, () -> server.call("FLUSHALL"), Trouble.Act.NOTHING);
  }

  @Test
  void callersAreServedWhileTheServerIsAReplicaThatTakesNoWrites() throws Exception {
    var nobody = Integer.toString(FreePorts.find(1).getFirst());
    survives(
        "READONLY (made a replica, then a primary again)",
        Severity.OUTAGE,
        Memory.KEPT,
        () -> server.call("REPLICAOF", "127.0.0.1", nobody),
        () -> server.call("REPLICAOF", "NO", "ONE"));
  }

  @Test
  void callersAreServedWhileTheServerIsOutOfMemory() throws Exception {
    survives(
        "OOM (maxmemory, noeviction)",
        Severity.OUTAGE,
        Memory.KEPT,
        () -> server.call("CONFIG", "SET", "maxmemory", "1"),
        () -> server.call("CONFIG", "SET", "maxmemory", "0"));
  }

  private void survives(
      String name, Severity severity, Memory memory, Trouble.Act strikes, Trouble.Act ends)
      throws Exception {
    var site =
        new Site(
            RedisAddress.Topology.STANDALONE, "redis://127.0.0.1:" + proxy.port(), List.of(server));
    var trouble = new Trouble(name, severity, memory, strikes, ends);
    var course = new Outage(site, CHRONICLE.decisionsPerPhase()).of(trouble);
    CHRONICLE.note(course);
    Assurances.hold(course);
  }
}
