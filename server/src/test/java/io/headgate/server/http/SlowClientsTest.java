package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.http.ClientAddress;
import io.headgate.http.TrustedProxies;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.abuse.Http2Client;
import io.headgate.server.http.transport.ConnectionLimiter;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.http.transport.MemoryBudget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Slow and idle clients are disconnected, and connections are limited. */
class SlowClientsTest {
  private static final Rule RULE =
      Rule.named("all").limit(FixedWindow.of(Rate.perHour(100))).build();
  private static final Duration SHORT = Duration.ofMillis(400);
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int LARGE_WINDOW = 1 << 30;
  private static final int UNKNOWN_FRAME = 77;
  private static final String HALF = "GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ";

  private static RunningService service(Duration idle, Duration head, Duration body) {
    return RunningService.limiting(new ConnectionLimits(100, 100, idle, head, body), RULE);
  }

  /** Sends a byte at a time until that fails. */
  private static void trickle(RawConnection connection) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> {
          try {
            connection.send(RawConnection.bytes("x"));
            return false;
          } catch (UncheckedIOException e) {
            return true;
          }
        });
  }

  @Test
  void endlessHeadIsDisconnected() {
    try (var service = service(LONG, SHORT, LONG);
        var connection = service.connect()) {
      connection.send(RawConnection.bytes(HALF));
      trickle(connection);
    }
  }

  @Test
  void endlessHeadOfALaterRequestIsDisconnected() {
    try (var service = service(LONG, SHORT, LONG);
        var connection = service.connect()) {
      assertThat(connection.request("GET", "/health/live").status()).isEqualTo(200);
      connection.send(RawConnection.bytes(HALF));
      trickle(connection);
    }
  }

  @Test
  void silentConnectionIsClosedSoonerThanAnIdleOne() {
    try (var service = service(LONG, SHORT, LONG);
        var served = service.connect()) {
      assertThat(served.request("GET", "/health/live").status()).isEqualTo(200);
      for (int i = 0; i < 2; i++) {
        try (var silent = service.connect()) {
          assertThat(silent.isClosedByServer()).isTrue();
        }
      }
      assertThat(served.request("GET", "/health/live").status()).isEqualTo(200);
    }
  }

  @Test
  void endlessBodyTimesOutAndChargesNothing() {
    try (var service = service(LONG, LONG, SHORT);
        var connection = service.connect()) {
      connection.send(
          RawConnection.head(
              "POST /v1/check", "Content-Type: application/json", "Content-Length: 100000"),
          RawConnection.bytes("{\"key\":\""));
      var answer = connection.read();
      assertThat(answer.status()).isEqualTo(408);
      assertThat(answer.header("Connection")).isEqualTo("close");
      assertThat(answer.body()).contains("did not arrive in time");
      trickle(connection);
      assertThat(service.post("/v1/check", "{\"key\":\"k\"}").body()).contains("\"remaining\":99,");
    }
  }

  @Test
  void unreadResponseIsResetEvenIfTheBodyEndsAfterIt() throws IOException {
    try (var service = service(LONG, LONG, SHORT);
        var client = new Http2Client(service.port(), 0)) {
      var head = Http2Client.post("/v1/check", "application/json").literal("expect", "miracles");
      int stream = client.headers(head, false);
      client.flush();
      assertThat(client.next(Http2Client.HEADERS, stream).endsStream()).isFalse();
      client.data(stream, new byte[0], true);
      client.flush();
      client.next(Http2Client.RST_STREAM, stream);
    }
  }

  @Test
  void clientThatDoesNotReadIsNotReadAndDisconnected() throws IOException {
    try (var service = service(LONG, LONG, SHORT);
        var client = new Http2Client(service.port(), LARGE_WINDOW)) {
      client.window(0, LARGE_WINDOW);
      for (int i = 0; i < 200; i++) client.get("/openapi.yaml");
      client.flush();
      var ignored = new byte[16 * 1024];
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 4_000; i++) client.frame(UNKNOWN_FRAME, 0, 0, ignored);
                client.flush();
              })
          .as("64 MB are more than the socket's buffers hold")
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void clientThatReadsLateIsReadAgain() throws IOException {
    try (var service = service(LONG, LONG, LONG);
        var client = new Http2Client(service.port(), LARGE_WINDOW)) {
      client.window(0, LARGE_WINDOW);
      for (int i = 0; i < 200; i++) client.get("/openapi.yaml");
      for (int i = 0; i < 5_000; i++) client.reset(client.get("/health/live"));
      int last = client.get("/health/live");
      client.flush();
      while (true) {
        var frame = client.next();
        assertThat(frame.type()).isNotEqualTo(Http2Client.GOAWAY);
        if (frame.stream() == last && frame.endsStream()) break;
      }
    }
  }

  @Test
  void connectionsAreLimited() {
    var limits = new ConnectionLimits(2, 2, LONG, LONG, LONG);
    try (var service = RunningService.limiting(limits, RULE);
        var first = service.connect()) {
      assertThat(first.request("GET", "/health/live").status()).isEqualTo(200);
      try (var second = service.connect()) {
        assertThat(second.request("GET", "/health/live").status()).isEqualTo(200);
        try (var third = service.connect()) {
          assertThat(third.isClosedByServer()).isTrue();
        }
      }
      assertThat(first.request("GET", "/health/live").status()).isEqualTo(200);
      // A closed connection no longer counts.
      await()
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptions()
          .until(() -> service.request("GET", "/health/live").status() == 200);
    }
  }

  @Test
  void connectionsOfOneAddressAreLimited() {
    var limits = new ConnectionLimits(100, 1, LONG, LONG, LONG);
    try (var service = RunningService.limiting(limits, RULE);
        var first = service.connect()) {
      assertThat(first.request("GET", "/health/live").status()).isEqualTo(200);
      try (var second = service.connect()) {
        assertThat(second.isClosedByServer()).isTrue();
      }
    }
  }

  @Test
  void rejectedConnectionIsNotCounted() {
    var limiter =
        new ConnectionLimiter(
            new ConnectionLimits(3, 2, LONG, LONG, LONG),
            TrustedProxies.NONE,
            MemoryBudget.ofHeap());
    var one = ClientAddress.parse("2001:db8::1").orElseThrow();
    var sameNetwork = ClientAddress.parse("2001:db8::2").orElseThrow();
    var other = ClientAddress.parse("192.0.2.1").orElseThrow();
    assertThat(limiter.tryAcquire(one)).isTrue();
    assertThat(limiter.tryAcquire(sameNetwork)).isTrue();
    assertThat(limiter.tryAcquire(one)).as("a third of one network").isFalse();
    assertThat(limiter.tryAcquire(other)).isTrue();
    assertThat(limiter.tryAcquire(other)).as("a fourth of all").isFalse();
    limiter.release(sameNetwork);
    assertThat(limiter.tryAcquire(one)).isTrue();
  }
}
