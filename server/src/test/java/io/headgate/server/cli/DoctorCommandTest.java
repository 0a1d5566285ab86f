package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.cli.output.JsonReply;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class DoctorCommandTest extends RunningRules {
  @Test
  void allIsWellWithARunningService() {
    diagnose("--port", Integer.toString(service.port()));
    assertThat(out)
        .containsPattern("ok +java +\\S+ \\(.*heap up to [\\d,]+ MB\n")
        .containsPattern("ok +settings +host 127.0.0.1, no tokens\n")
        .containsPattern("ok +database +h2:.*created by the first start\n")
        .containsPattern("ok +store +memory, at most 1,000,000 keys\n")
        .containsPattern("ok +port +\\d+ of 127.0.0.1, a service is listening\n")
        .containsPattern("ok +service +Headgate at \\S+ is ready\n");
    assertThat(err).isEmpty();
    assertThat(code).isZero();
  }

  @Test
  void usedPortIsAProblemIfNoServiceAnswers() throws IOException {
    environment.remove("HEADGATE_URL");
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      diagnose("--port", Integer.toString(socket.getLocalPort()), "--timeout", "200ms");
      assertThat(out)
          .containsPattern("problem +port +can't listen on 127.0.0.1:\\d+")
          .contains("→ stop the process that uses the port (ss -ltnp), or choose another");
      assertThat(code).isEqualTo(1);
    }
  }

  @Test
  void everyProblemIsReportedInOneRun() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), "rules: [{ id: a, limit: { rate: x } }]");
    Files.writeString(folder.resolve("file"), "");
    environment.put("HEADGATE_PROT", "1");
    diagnose(
        "--rules", "rules.yaml", "--host", "0.0.0.0", "--data", "file", "--database", "mysql://x");
    assertThat(out)
        .containsPattern(
            "warning +settings .*HEADGATE_PROT has no effect; did you mean HEADGATE_PORT")
        .containsPattern("problem +settings +host 0.0.0.0 can be reached .* no admin token is set")
        .containsPattern("problem +data .* is not a directory")
        .containsPattern("problem +rules +the rules are not valid")
        .containsPattern("problem +database +--database: not a database address")
        .endsWith("warning.\n");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void warningsOfTheRulesAreListed() throws IOException {
    Files.writeString(
        folder.resolve("rules.yaml"),
        """
        rules:
          - id: login
            match: { path: /login, ip: "*" }
            on-store-failure: allow
            limit: { algorithm: fixed-window, rate: 5/1h }
        """);
    diagnose("--rules", "rules.yaml");
    assertThat(out).containsPattern("ok +rules +1 in ").containsPattern("warning +rules .*login");
    assertThat(code).as("a warning is no problem").isZero();
  }

  @Test
  void redisIsReachedAndItsEvictionReported() {
    String stopped;
    try (var redis =
        RedisServer.start("--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru")) {
      diagnose("--store", redis.uri());
      assertThat(out)
          .containsPattern("ok +store +Redis at \\S+, version \\S+, round trip [\\d.]+ ms\n")
          .containsPattern("warning +store .*may evict counters: maxmemory-policy allkeys-lru");
      stopped = redis.uri();
    }
    diagnose("--store", stopped);
    assertThat(out)
        .containsPattern(
            "problem +store +no connection to Redis at \\S+: the connection was refused")
        .contains("→ start Redis, or correct --store");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void clusterStoreIsNoRedis() {
    diagnose("--store", "cluster", "--join", "127.0.0.1:7574");
    assertThat(out).containsPattern("ok +store +cluster, member 127.0.0.1:7574, joins ");
    assertThat(code).isZero();
  }

  @Test
  void findingsArePrintedAsJson() throws IOException {
    diagnose("--json");
    var findings = JsonReply.read(out).at("findings").items();
    assertThat(findings).hasSizeGreaterThan(5);
    assertThat(findings.getFirst().at("topic").text()).isEqualTo("java");
    assertThat(findings.getFirst().at("level").text()).isEqualTo("ok");
  }

  private void diagnose(String... options) {
    var args = new String[options.length + 1];
    args[0] = "doctor";
    System.arraycopy(options, 0, args, 1, options.length);
    run(args);
  }
}
