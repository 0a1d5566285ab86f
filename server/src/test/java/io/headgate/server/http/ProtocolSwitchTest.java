package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.abuse.Http2Client;
import io.headgate.server.abuse.Http2Client.Block;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests for another protocol, a tunnel or an echo get an ordinary response, leave the connection
 * usable and log nothing.
 */
class ProtocolSwitchTest {
  private static final String[] WEB_SOCKET = {
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
  };
  private static final String[] H2C = {
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAMAAABkAAQAAP__",
    "Content-Length: 0"
  };

  private static RunningService service;
  private LogCapture log;

  @BeforeAll
  static void start() {
    service =
        RunningService.with(Rule.named("all").limit(FixedWindow.of(Rate.perHour(100))).build());
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void captureLog() {
    log = new LogCapture("ROOT");
  }

  @AfterEach
  void nothingIsLogged() {
    log.close();
    assertThat(log.text()).isEmpty();
  }

  private static void assertRefused(int status, String method, String path, String... headers) {
    try (var connection = service.connect()) {
      var answer = connection.request(method, path, headers);
      assertThat(answer.status()).isEqualTo(status);
      assertThat(answer.mediaType()).isEqualTo("application/problem+json");
      assertThat(connection.request("GET", "/health/live").status()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({"405,/v1/check", "404,/v1", "404,/v1/socket"})
  void webSocketIsRefused(int status, String path) {
    assertRefused(status, "GET", path, WEB_SOCKET);
  }

  @Test
  void webSocketOfAnEndpointIsAnOrdinaryRequest() {
    try (var connection = service.connect()) {
      for (int i = 0; i < 2; i++) {
        assertThat(connection.request("GET", "/v1/rules", WEB_SOCKET).status()).isEqualTo(200);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"405,PUT,/v1/check", "404,POST,/v1", "405,DELETE,/health/live"})
  void upgradeToHttp2IsRefused(int status, String method, String path) {
    assertRefused(status, method, path, H2C);
  }

  @ParameterizedTest
  @CsvSource({"404,example.com:443", "405,/v1/check", "404,*"})
  void tunnelIsRefused(int status, String target) {
    assertRefused(status, "CONNECT", target);
  }

  @ParameterizedTest
  @CsvSource({"405,/", "405,/v1/check", "404,*"})
  void echoIsRefusedAndReturnsNoHeaders(int status, String path) {
    assertRefused(status, "TRACE", path);
    try (var connection = service.connect()) {
      assertThat(connection.request("TRACE", path, "X-Secret: of-the-client").body())
          .doesNotContain("of-the-client");
    }
  }

  @Test
  void traceIsRefusedOverHttp2() throws IOException {
    try (var client = new Http2Client(service.port())) {
      var head = new Block().literal(":method", "TRACE").indexed(6).literal(":path", "/v1/check");
      int stream = client.headers(head.literal(":authority", "127.0.0.1"), true);
      client.flush();
      assertThat(client.answer(stream).status()).hasToString("405");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void tunnelOverHttp2EndsItsStreamOnly(boolean webSocket) throws IOException {
    try (var client = new Http2Client(service.port())) {
      var head = new Block().literal(":method", "CONNECT").literal(":authority", "127.0.0.1");
      if (webSocket) {
        head.literal(":protocol", "websocket").indexed(6).literal(":path", "/v1/stream");
      }
      int tunnel = client.headers(head, false);
      int next = client.get("/health/live");
      client.flush();
      boolean ended = false;
      boolean answered = false;
      while (!ended || !answered) {
        var frame = client.next();
        assertThat(frame.type()).isNotEqualTo(Http2Client.GOAWAY);
        boolean ends = frame.endsStream() || frame.type() == Http2Client.RST_STREAM;
        ended |= ends && frame.stream() == tunnel;
        answered |= frame.endsStream() && frame.stream() == next;
        // Refused at once: it does not wait for the end of a body, which a tunnel has not.
        if (answered) assertThat(ended).isTrue();
      }
    }
  }
}
