package io.headgate.redis;

import io.headgate.redis.Fault.DataLoss;
import io.headgate.redis.Fault.Severity;
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
  private static final OutageReport REPORT = new OutageReport("standalone");

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
    REPORT.write();
  }

  @Test
  void callersAreServedWhileServerIsDownAndAfterEmptyRestart() throws Exception {
    assertSurvives(
        "kill -9, then restarted empty",
        Severity.OUTAGE,
        DataLoss.ALL,
        server::kill,
        server::restart);
  }

  @Test
  void callersAreServedWhileServerIsPaused() throws Exception {
    assertSurvives(
        "SIGSTOP, then SIGCONT",
        Severity.OUTAGE,
        DataLoss.NOTHING_LOST,
        server::pause,
        server::resume);
  }

  @Test
  void callersAreServedWhileNetworkDropsAllPackets() throws Exception {
    assertSurvives(
        "blackhole", Severity.OUTAGE, DataLoss.NOTHING_LOST, proxy::blackhole, proxy::pass);
  }

  @Test
  void callersAreServedWhileRepliesExceedTheDeadline() throws Exception {
    assertSurvives(
        "answers 200 ms late",
        Severity.OUTAGE,
        DataLoss.NOTHING_LOST,
        () -> proxy.delay(Duration.ofMillis(100)),
        proxy::pass);
  }

  @Test
  void callersAreServedWhileConnectionsAreRefused() throws Exception {
    assertSurvives(
        "connections reset and refused",
        Severity.OUTAGE,
        DataLoss.NOTHING_LOST,
        proxy::refuse,
        proxy::pass);
  }

  @Test
  void callersAreServedDuringRestart() throws Exception {
    assertSurvives(
        "restarted empty at once",
        Severity.BRIEF,
        DataLoss.ALL,
        server::restart,
        Fault.Action.NOTHING);
  }

  @Test
  void scriptFlushCausesNoFailures() throws Exception {
    assertSurvives(
        "SCRIPT FLUSH",
        Severity.NONE,
        DataLoss.NOTHING_LOST,
        () -> server.call("SCRIPT", "FLUSH"),
        Fault.Action.NOTHING);
  }

  @Test
  void flushAllCausesNoFailuresAndResetsLimits() throws Exception {
    assertSurvives(
        "FLUSHALL",
        Severity.NONE,
        DataLoss.ALL,
        () -> server.call("FLUSHALL"),
        Fault.Action.NOTHING);
  }

  @Test
  void callersAreServedWhileServerIsReadOnlyReplica() throws Exception {
    var unusedPort = Integer.toString(FreePorts.find(1).getFirst());
    assertSurvives(
        "READONLY (made a replica, then a primary again)",
        Severity.OUTAGE,
        DataLoss.NOTHING_LOST,
        () -> server.call("REPLICAOF", "127.0.0.1", unusedPort),
        () -> server.call("REPLICAOF", "NO", "ONE"));
  }

  @Test
  void callersAreServedWhileServerIsOutOfMemory() throws Exception {
    assertSurvives(
        "OOM (maxmemory, noeviction)",
        Severity.OUTAGE,
        DataLoss.NOTHING_LOST,
        () -> server.call("CONFIG", "SET", "maxmemory", "1"),
        () -> server.call("CONFIG", "SET", "maxmemory", "0"));
  }

  private void assertSurvives(
      String name, Severity severity, DataLoss dataLoss, Fault.Action inject, Fault.Action repair)
      throws Exception {
    var deployment =
        new RedisDeployment(
            RedisAddress.Topology.STANDALONE, "redis://127.0.0.1:" + proxy.port(), List.of(server));
    var fault = new Fault(name, severity, dataLoss, inject, repair);
    var result = new OutageRun(deployment, REPORT.decisionsPerPhase()).run(fault);
    REPORT.add(result);
    OutageAssertions.assertAll(result);
  }
}
