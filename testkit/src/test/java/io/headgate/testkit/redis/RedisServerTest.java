package io.headgate.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import io.headgate.testkit.net.TestCertificates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

class RedisServerTest {
  private static final Duration SHORT = Duration.ofMillis(150);

  @Test
  void startsEmptyAndReturnsEveryReplyType() {
    try (var server = RedisServer.start()) {
      assertThat(server.isAlive()).isTrue();
      assertThat(server.uri()).isEqualTo("redis://127.0.0.1:" + server.port());
      assertThat(server.call("DBSIZE").number()).isZero();
      assertThat(server.call("GET", "k").isNil()).isTrue();
      assertThat(server.call("SET", "k", "Grüße\r\n{}").text()).isEqualTo("OK");
      assertThat(server.call("GET", "k").text()).isEqualTo("Grüße\r\n{}");
      assertThat(server.call("RPUSH", "l", "a", "", "b").number()).isEqualTo(3);
      assertThat(server.call("LRANGE", "l", "0", "-1")).hasToString("[a, , b]");
      assertThat(server.call("CONFIG", "GET", "save")).hasToString("[save, ]");
      assertThat(server.call("CONFIG", "GET", "appendonly")).hasToString("[appendonly, no]");
      assertThat(server.call("CONFIG", "GET", "bind")).hasToString("[bind, 127.0.0.1]");
    }
  }

  @Test
  void errorHasTheServersText() {
    try (var server = RedisServer.start()) {
      server.call("SET", "k", "text");
      assertThatThrownBy(() -> server.call("INCR", "k"))
          .isInstanceOf(RedisError.class)
          .hasMessage("ERR value is not an integer or out of range");
    }
  }

  @Test
  void unexpectedReplyTypeIsNamed() {
    assertThatThrownBy(() -> new Reply.IntegerReply(3).text())
        .hasMessage("expected a string, the server replied IntegerReply 3");
  }

  @Test
  void restartAfterKillIsEmptyOnTheSamePort() {
    try (var server = RedisServer.start()) {
      server.call("SET", "k", "v");
      server.kill();
      assertThat(server.isAlive()).isFalse();
      assertThatThrownBy(() -> server.call("PING")).isInstanceOf(UncheckedIOException.class);
      server.restart();
      assertThat(server.isAlive()).isTrue();
      assertThat(server.call("GET", "k").isNil()).isTrue();
    }
  }

  @Test
  void restartReplacesARunningProcess() {
    try (var server = RedisServer.start()) {
      long before = pidOf(server);
      server.restart();
      assertThat(pidOf(server)).isNotEqualTo(before);
      assertThat(ProcessHandle.of(before)).isEmpty();
    }
  }

  @Test
  void restartedReplicaIsEmpty() {
    try (var primary = RedisServer.start();
        var replica = RedisServer.start()) {
      primary.call("SET", "k", "v");
      replica.call("REPLICAOF", "127.0.0.1", Integer.toString(primary.port()));
      Eventually.holds(
          "the key arrives", Duration.ofSeconds(20), () -> !replica.call("GET", "k").isNil());
      replica.restart();
      assertThat(replica.call("DBSIZE").number()).isZero();
    }
  }

  @Test
  void pausedServerRepliesAfterResume() throws IOException {
    try (var server = RedisServer.start();
        var connection = RespConnection.open(server.port(), SHORT)) {
      server.pause();
      assertThat(server.isAlive()).isTrue();
      assertThatThrownBy(() -> connection.call("INCR", "k"))
          .isInstanceOf(SocketTimeoutException.class);
      server.resume();
      // The first command was not lost: it was executed before this one.
      assertThat(server.call("INCR", "k").number()).isEqualTo(2);
    }
  }

  @Test
  void endedServerCannotBePaused() {
    try (var server = RedisServer.start()) {
      server.kill();
      assertThatThrownBy(server::pause).hasMessageEndingWith("is not running; restart() it first");
    }
  }

  @Test
  void closeLeavesNeitherProcessNorFilesEvenIfPaused() {
    var server = RedisServer.start();
    var process = ProcessHandle.of(pidOf(server)).orElseThrow();
    var directory = Path.of(server.call("CONFIG", "GET", "dir").items().getLast().text());
    assertThat(directory).isDirectory();
    server.pause();
    server.close();
    server.close();
    assertThat(process.isAlive()).isFalse();
    assertThat(directory).doesNotExist();
    assertThatThrownBy(server::restart).hasMessageEndingWith("is closed; start another");
  }

  @Test
  void passwordIsRequiredAndSentByCall() throws IOException {
    try (var server = RedisServer.start("--requirepass", "secret");
        var stranger = RespConnection.open(server.port(), Duration.ofSeconds(5))) {
      assertThat(server.call("PING").text()).isEqualTo("PONG");
      assertThatThrownBy(() -> stranger.call("PING"))
          .isInstanceOf(RedisError.class)
          .hasMessageStartingWith("NOAUTH");
    }
  }

  @Test
  void usersCanBeConfiguredByOptions() throws IOException {
    try (var server = RedisServer.start("--user", "reader", "on", ">pass", "~*", "-@all", "+get");
        var reader = RespConnection.open(server.port(), Duration.ofSeconds(5))) {
      reader.call("AUTH", "reader", "pass");
      assertThat(reader.call("GET", "k").isNil()).isTrue();
      assertThatThrownBy(() -> reader.call("SET", "k", "v")).hasMessageStartingWith("NOPERM");
    }
  }

  @Test
  void serverWithoutDefaultUserStarts() {
    try (var server = RedisServer.start("--user", "default", "off")) {
      assertThatThrownBy(() -> server.call("PING")).hasMessageStartingWith("NOAUTH");
    }
  }

  @Test
  void serverWithoutMemoryRejectsWrites() {
    try (var server = RedisServer.start("--maxmemory", "1", "--maxmemory-policy", "noeviction")) {
      assertThatThrownBy(() -> server.call("SET", "k", "v")).hasMessageStartingWith("OOM");
    }
  }

  @Test
  void tlsRequiresTrustInTheCertificate() throws Exception {
    try (var certificates = TestCertificates.create();
        var server = RedisServer.startWithTls(certificates)) {
      assertThat(server.tlsUri()).isEqualTo("rediss://127.0.0.1:" + server.tlsPort());
      assertThat(pingOverTls(certificates.trusting(), server)).isEqualTo("PONG");
      assertThatThrownBy(() -> pingOverTls(SSLContext.getDefault(), server))
          .isInstanceOf(SSLHandshakeException.class);
    }
  }

  private static String pingOverTls(SSLContext context, RedisServer server) throws IOException {
    try (var socket =
        (SSLSocket)
            context.getSocketFactory().createSocket(FreePorts.loopback(), server.tlsPort())) {
      var checked = socket.getSSLParameters();
      checked.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(checked);
      return RespConnection.over(socket).call("PING").text();
    }
  }

  @Test
  void serverWithoutTlsHasNoTlsPort() {
    try (var server = RedisServer.start()) {
      assertThatThrownBy(server::tlsPort).hasMessageEndingWith("has no TLS port; use startWithTls");
    }
  }

  @Test
  void retriesWithAnotherPortIfTheFirstIsTaken() throws IOException {
    try (var occupant = new ServerSocket(0, 1, FreePorts.loopback())) {
      var tries = new AtomicInteger();
      try (var server =
          RedisServer.start(
              1,
              free -> {
                int port = tries.getAndIncrement() == 0 ? occupant.getLocalPort() : free.getFirst();
                return LaunchSpec.server(port, List.of());
              })) {
        assertThat(tries).hasValue(2);
        assertThat(server.port()).isNotEqualTo(occupant.getLocalPort());
      }
    }
  }

  @Test
  void anotherServerOnThePortIsDetected() {
    try (var occupant = RedisServer.start()) {
      var tries = new AtomicInteger();
      try (var server =
          RedisServer.start(
              1,
              free -> {
                int port = tries.getAndIncrement() == 0 ? occupant.port() : free.getFirst();
                return LaunchSpec.server(port, List.of());
              })) {
        assertThat(tries).hasValue(2);
        assertThat(pidOf(server)).isNotEqualTo(pidOf(occupant));
      }
    }
  }

  @Test
  void unknownOptionIsReportedWithTheServersOutput() {
    assertThatThrownBy(() -> RedisServer.start("--no-such-option", "1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ended during start-up; its output:")
        .hasMessageContaining("no-such-option");
  }

  @Test
  void missingRedisIsReportedWithInstallationAdvice() {
    assertThatThrownBy(() ->
            RedisServer.start(
                1,
                ports ->
                    new LaunchSpec(
                        "no-such-redis", ports.getFirst(), List.of(), directory -> List.of())))
        .hasMessageContaining("no-such-redis can't be started; install it")
        .hasMessageContaining("Debian's package redis-server");
  }

  @Test
  void freePortsAreDistinct() {
    assertThat(FreePorts.find(50)).doesNotHaveDuplicates();
  }

  static long pidOf(RedisServer server) {
    return server
        .call("INFO", "server")
        .text()
        .lines()
        .filter(line -> line.startsWith("process_id:"))
        .mapToLong(line -> Long.parseLong(line.substring("process_id:".length())))
        .findFirst()
        .orElseThrow();
  }
}
