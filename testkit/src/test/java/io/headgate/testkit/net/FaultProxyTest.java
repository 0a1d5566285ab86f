package io.headgate.testkit.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.EchoServer.End;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final Duration NEVER = Duration.ofDays(1);

  /** Long enough for an incorrectly forwarded reply to arrive. */
  private static final int QUIET_MILLIS = 150;

  private EchoServer server;
  private FaultProxy proxy;

  @BeforeEach
  void start() throws IOException {
    server = new EchoServer();
    proxy = FaultProxy.to(server.port());
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    server.close();
  }

  @Test
  void forwardsInBothDirections() throws IOException {
    try (var client = connect()) {
      send(client, "hello");
      assertThat(receive(client, 5)).isEqualTo("hello");
    }
  }

  @Test
  void forwardsMoreThanAllBuffersUnchanged() throws Exception {
    var large = IntStream.range(0, 1_500_000).mapToObj(Integer::toString).collect(joining(","));
    try (var client = connect()) {
      var sender = Thread.ofPlatform().daemon().start(() -> sendUnchecked(client, large));
      assertThat(receive(client, large.length())).isEqualTo(large);
      sender.join();
    }
  }

  @Test
  void forwardsTheEndOfAConnection() throws IOException {
    try (var client = connect()) {
      send(client, "last words");
      client.shutdownOutput();
      assertThat(receive(client, 10)).isEqualTo("last words");
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
    assertThat(server.ends()).containsExactly(End.CLOSED);
    Eventually.holds("no connection is left", SOON, () -> proxy.open() == 0);
  }

  @Test
  void countsAcceptedConnections() throws IOException {
    try (var first = connect();
        var second = connect()) {
      roundTrip(first);
      roundTrip(second);
      assertThat(proxy.accepted()).isEqualTo(2);
      assertThat(proxy.open()).isEqualTo(2);
    }
    Eventually.holds("both are gone", SOON, () -> proxy.open() == 0);
    assertThat(proxy.accepted()).isEqualTo(2);
  }

  @Test
  void delayAppliesToEachDirection() throws IOException {
    var oneWay = Duration.ofMillis(40);
    try (var client = connect()) {
      proxy.delay(oneWay);
      long before = System.nanoTime();
      roundTrip(client);
      assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(2 * oneWay.toNanos());
    }
  }

  @Test
  void delayedDataStaysInOrderThroughEveryChange() throws IOException {
    var sent = new StringBuilder();
    try (var client = connect()) {
      for (int i = 0; i < 500; i++) {
        switch (i % 5) {
          case 0 -> proxy.delay(Duration.ofMillis(20));
          case 1 -> proxy.pass();
          case 2 -> proxy.delay(Duration.ofMillis(1));
          case 3 -> proxy.blackhole();
          case 4 -> proxy.delay(NEVER);
          default -> throw new AssertionError(i);
        }
        send(client, i + " ");
        sent.append(i).append(' ');
      }
      proxy.pass();
      assertThat(receive(client, sent.length())).isEqualTo(sent.toString());
    }
  }

  @Test
  void delayedDataIsForwardedWhenTheDelayIsLifted() throws IOException {
    try (var client = connect()) {
      proxy.delay(NEVER);
      send(client, "late");
      assertSilent(client);
      proxy.pass();
      assertThat(receive(client, 4)).isEqualTo("late");
    }
  }

  @Test
  void negativeDelayIsRejected() {
    assertThatThrownBy(() -> proxy.delay(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a delay must not be negative, got PT-0.001S; use pass() for none");
  }

  @Test
  void blackholeHoldsDataOfOpenAndNewConnections() throws IOException {
    try (var old = connect()) {
      roundTrip(old);
      proxy.blackhole();
      try (var fresh = connect()) {
        send(old, "old");
        send(fresh, "new");
        assertSilent(old);
        assertSilent(fresh);
        proxy.pass();
        assertThat(receive(old, 3)).isEqualTo("old");
        assertThat(receive(fresh, 3)).isEqualTo("new");
      }
    }
  }

  @Test
  void lostRepliesLeaveTheRequestsAndArriveAfterTheNextChange() throws IOException {
    try (var client = connect()) {
      roundTrip(client);
      proxy.loseReplies();
      send(client, "sent");
      assertSilent(client);
      proxy.pass();
      assertThat(receive(client, 4)).isEqualTo("sent");
    }
  }

  @Test
  void blackholeDoesNotForwardTheEndOfAConnection() throws IOException {
    var client = connect();
    roundTrip(client);
    proxy.blackhole();
    client.close();
    try (var other = connect()) {
      assertSilent(other);
    }
    assertThat(server.ends()).isEmpty();
    proxy.pass();
    Eventually.holds("the server sees the end", SOON, () -> server.ends().contains(End.CLOSED));
  }

  @Test
  void cutResetsBothSidesAndPermitsNewConnections() throws IOException {
    try (var client = connect()) {
      roundTrip(client);
      proxy.cut();
      assertReset(client);
    }
    Eventually.holds("the server sees a reset", SOON, () -> server.ends().contains(End.RESET));
    try (var next = connect()) {
      roundTrip(next);
    }
  }

  @Test
  void cutResetsConnectionsInABlackhole() throws IOException {
    try (var client = connect()) {
      roundTrip(client);
      proxy.blackhole();
      proxy.cut();
      assertReset(client);
    }
  }

  @Test
  void refuseResetsConnectionsAndRejectsNewOnes() throws IOException {
    try (var client = connect()) {
      roundTrip(client);
      proxy.refuse();
      assertReset(client);
    }
    Eventually.holds("connections are refused", SOON, this::isRefused);
    proxy.pass();
    try (var next = connect()) {
      roundTrip(next);
    }
  }

  /** Returns whether the port is closed; another process may listen on it for a moment. */
  private boolean isRefused() throws IOException {
    try {
      connect().close();
      return false;
    } catch (ConnectException e) {
      return true;
    }
  }

  /** The port is bound and not listening: another process could take a free port meanwhile. */
  @Test
  void unreachableServerResetsTheClient() throws IOException {
    try (var unlistening = new Socket()) {
      unlistening.bind(new InetSocketAddress(FreePorts.loopback(), 0));
      try (var unreachable = FaultProxy.to(unlistening.getLocalPort());
          var client = connect(unreachable)) {
        assertReset(client);
      }
    }
  }

  @Test
  void closeLeavesNoThreadAndIsIdempotent() throws IOException {
    try (var client = connect()) {
      roundTrip(client);
      proxy.delay(NEVER);
      send(client, "held");
      proxy.close();
      proxy.close();
      assertReset(client);
    }
    var prefix = "fault-proxy-" + proxy.port();
    Eventually.holds(
        "no thread is left",
        SOON,
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith(prefix)));
    assertThatThrownBy(proxy::pass).hasMessageEndingWith("is closed; start another");
  }

  private Socket connect() throws IOException {
    return connect(proxy);
  }

  private static Socket connect(FaultProxy to) throws IOException {
    var socket = new Socket(FreePorts.loopback(), to.port());
    socket.setSoTimeout(Math.toIntExact(SOON.toMillis()));
    return socket;
  }

  private static void roundTrip(Socket client) throws IOException {
    send(client, "ping");
    assertThat(receive(client, 4)).isEqualTo("ping");
  }

  private static void send(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(UTF_8));
  }

  private static void sendUnchecked(Socket client, String text) {
    try {
      send(client, text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String receive(Socket client, int length) throws IOException {
    return new String(client.getInputStream().readNBytes(length), UTF_8);
  }

  private static void assertSilent(Socket client) throws IOException {
    client.setSoTimeout(QUIET_MILLIS);
    assertThatThrownBy(() -> client.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    client.setSoTimeout(Math.toIntExact(SOON.toMillis()));
  }

  private static void assertReset(Socket client) {
    assertThatThrownBy(() -> client.getInputStream().read())
        .isInstanceOf(SocketException.class)
        .hasMessage("Connection reset");
  }
}
