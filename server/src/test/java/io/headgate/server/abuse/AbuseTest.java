package io.headgate.server.abuse;

import static io.headgate.server.abuse.Http2Client.CONTINUATION;
import static io.headgate.server.abuse.Http2Client.GOAWAY;
import static io.headgate.server.abuse.Http2Client.HEADERS;
import static io.headgate.server.abuse.Http2Client.PING;
import static io.headgate.server.abuse.Http2Client.RST_STREAM;
import static io.headgate.server.abuse.Http2Client.message;
import static io.headgate.server.abuse.Http2Client.post;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.server.abuse.Http2Client.Block;
import io.headgate.server.grpc.proto.HealthCheckRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Unauthenticated clients that try to exhaust the memory, time or log of a service with a heap of
 * 128 MB. After each attack, and while its connections are still open, the same process decides the
 * next regular request.
 */
class AbuseTest {
  private static final String CHECK =
      "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final String WATCH = "/grpc.health.v1.Health/Watch";
  private static final String REFLECTION =
      "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  private static final int STREAMS = 250;
  private static final Pattern SCRIPT = Pattern.compile("/assets/[^\"]+\\.js");

  @TempDir private static Path folder;
  private static SmallHeapService service;
  private static final AtomicInteger KEYS = new AtomicInteger();

  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeAll
  static void start() throws IOException {
    service = new SmallHeapService(folder);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @AfterEach
  void nextRegularRequestIsDecided() throws Exception {
    try {
      assertThat(service.isAlive()).as("%s", service.log()).isTrue();
      assertDecided();
    } finally {
      for (var connection : open) connection.close();
    }
    assertDecided();
  }

  @Test
  void connectionsThatTheHeapDoesNotAllowAreLogged() {
    assertThat(service.log())
        .containsPattern(
            "allowing \\d+ connections instead of --max-connections 10000, since they");
  }

  private static void assertDecided() {
    var json = "{\"key\":\"user:%d\"}".formatted(KEYS.incrementAndGet());
    var answer = service.request(service.to("/v1/check").POST(BodyPublishers.ofString(json)));
    assertThat(answer.statusCode()).as("%s", service.log()).isEqualTo(200);
    assertThat(answer.body()).contains("\"allowed\":true");
  }

  private Http2Client connect(int window) throws IOException {
    var client = new Http2Client(service.port(), window);
    open.add(client);
    return client;
  }

  private Http2Client connect() throws IOException {
    return connect(65_535);
  }

  private Socket socket() throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), service.port());
    open.add(socket);
    return socket;
  }

  /** Sends bytes that the server may stop reading. */
  private static void send(Sending sending) {
    try {
      sending.send();
    } catch (IOException refused) {
      // The server may defend itself by closing the connection.
    }
  }

  @FunctionalInterface
  private interface Sending {
    void send() throws IOException;
  }

  /** Asserts that all frames so far have been read, or the connection has been closed. */
  private static void assertReadOrClosed(Http2Client client) {
    try {
      client.frame(PING, 0, 0, new byte[8]);
      client.flush();
      client.next(PING, 0);
    } catch (SocketTimeoutException silent) {
      throw new AssertionError("neither read nor closed", silent);
    } catch (IOException closed) {
      // With or without GOAWAY.
    }
  }

  private void requestWithoutReading(String path, int connections) throws IOException {
    for (int i = 0; i < connections; i++) {
      var client = connect(0);
      send(() -> {
        for (int stream = 0; stream < STREAMS; stream++) client.get(path);
        client.flush();
      });
    }
    open.forEach(client -> assertReadOrClosed((Http2Client) client));
  }

  @Test
  void unreadDashboardResponsesShareTheirBytes() throws IOException {
    var page = service.request(service.to("/").header("Accept", "text/html")).body();
    var script = SCRIPT.matcher(page);
    assertThat(script.find()).as(page).isTrue();
    requestWithoutReading(script.group(), 8);
  }

  @Test
  void unreadLongResponsesAreBounded() throws IOException {
    for (var path : List.of("/openapi.yaml", "/metrics", "/v1/rules", "/v1/stats")) {
      requestWithoutReading(path, 3);
    }
  }

  @Test
  void unreadEventStreamsAreBounded() throws IOException {
    requestWithoutReading("/v1/stream", 2);
  }

  @Test
  void unreadHttp1ResponsesAreBounded() throws IOException {
    var request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200).getBytes(ISO_8859_1);
    for (int i = 0; i < 100; i++) {
      var socket = socket();
      socket.setReceiveBufferSize(4 * 1024);
      send(() -> socket.getOutputStream().write(request));
    }
  }

  @Test
  void incompleteBodiesAreBoundedAndTheirMemoryIsReleased() throws IOException {
    var head =
        String.join(
            "\r\n",
            "POST /v1/check/batch HTTP/1.1",
            "Host: x",
            "Content-Type: application/json",
            "Content-Length: 1048576",
            "\r\n");
    var almostAll = " ".repeat(1_000_000).getBytes(ISO_8859_1);
    for (int i = 0; i < 120; i++) {
      var socket = socket();
      send(() -> {
        socket.getOutputStream().write(head.getBytes(ISO_8859_1));
        socket.getOutputStream().write(almostAll);
      });
    }
    assertDecided();
    for (var connection : open) closeQuietly(connection);
    open.clear();
    var batch = "[{\"key\":\"user:1\"}]" + " ".repeat(900_000);
    await()
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptions() // an early request may be disconnected
        .untilAsserted(() ->
            assertThat(
                    service
                        .request(service.to("/v1/check/batch").POST(BodyPublishers.ofString(batch)))
                        .statusCode())
                .isIn(200, 400));
  }

  @Test
  void incompleteTrailersAreBounded() throws IOException {
    var head =
        String.join(
            "\r\n",
            "POST /v1/check HTTP/1.1",
            "Host: x",
            "Content-Type: application/json",
            "Transfer-Encoding: chunked",
            "",
            "0\r\n");
    var trailers = (head + "a:\r\n".repeat(15_000)).getBytes(ISO_8859_1);
    for (int i = 0; i < 200; i++) {
      var socket = socket();
      send(() -> socket.getOutputStream().write(trailers));
    }
  }

  @Test
  void headsBehindAnOpenRequestAreBounded() throws IOException {
    var head = "GET /v1/stream HTTP/1.1\nHost: 127.0.0.1\n\nGET / HTTP/1.1\nHost: x\n";
    var heads = (head + "a:\n".repeat(15_000)).getBytes(ISO_8859_1);
    for (int i = 0; i < 200; i++) {
      var socket = socket();
      send(() -> socket.getOutputStream().write(heads));
    }
  }

  @Test
  void rulesOfManyValuesAreRejected() {
    var rules = "rules: [" + "a,".repeat(4_000_000) + "]";
    var answer =
        service.request(
            service
                .to("/v1/rules")
                .header("Content-Type", "application/yaml")
                .PUT(BodyPublishers.ofString(rules)));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(answer.body()).contains("the heap of this process is too small");
  }

  @Test
  void simulationsOfLongRulesAtOnceAreBounded() {
    var rules = "{},".repeat(2_600_000);
    var body = "{\"rules\":\"rules: [%s]\",\"source\":{\"kind\":\"recent\"}}".formatted(rules);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 8; i++) {
        threads.execute(() ->
            send(() -> {
              try {
                service.request(service.to("/v1/what-if").POST(BodyPublishers.ofString(body)));
              } catch (UncheckedIOException e) {
                throw e.getCause();
              }
            }));
      }
    }
  }

  private static void closeQuietly(AutoCloseable connection) {
    try {
      connection.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void incompleteBodiesOfManyStreamsAreBounded() throws IOException {
    var part = new byte[16 * 1024];
    for (int i = 0; i < 6; i++) {
      var client = connect();
      send(() -> {
        for (int stream = 0; stream < STREAMS; stream++) {
          int id = client.headers(post("/v1/check", "application/json"), false);
          for (int parts = 0; parts < 3; parts++) client.data(id, part, false);
          client.flush();
          // Waits until the connection's flow-control window is open again.
          client.frame(PING, 0, 0, new byte[8]);
          client.flush();
          while (client.next().type() != PING) {}
        }
      });
    }
  }

  @Test
  void incompleteMessagesOfManyCallsAreBounded() throws IOException {
    var part = new byte[16 * 1024];
    ByteBuffer.wrap(part).put((byte) 0).putInt(60_000);
    var rest = new byte[16 * 1024];
    for (int i = 0; i < 6; i++) {
      var client = connect();
      send(() -> {
        for (int call = 0; call < STREAMS; call++) {
          int id = client.call(CHECK, part, false);
          client.data(id, rest, false);
          client.data(id, rest, false);
          client.frame(PING, 0, 0, new byte[8]);
          client.flush();
          while (client.next().type() != PING) {}
        }
      });
    }
  }

  @Test
  void compressedHeadersAreBoundedByTheirDecodedSize() throws IOException {
    for (int i = 0; i < 30; i++) {
      var client = connect();
      send(() -> {
        var first =
            new Block().indexed(3).indexed(6).literalIndexed(":path", "/" + "p".repeat(1_900));
        first.literal(":authority", "x").literalIndexed("cookie", "c".repeat(1_900));
        client.headers(first, false);
        for (int stream = 1; stream < STREAMS; stream++) {
          var next = new Block().indexed(3).indexed(6).indexed(63).literal(":authority", "x");
          for (int field = 0; field < 7; field++) next.indexed(62);
          client.headers(next, false);
        }
        client.flush();
      });
      assertReadOrClosed(client);
    }
  }

  @Test
  void idleStreamsAreBounded() throws IOException {
    for (int i = 0; i < 60; i++) {
      var client = connect();
      send(() -> {
        for (int stream = 0; stream < STREAMS; stream++) {
          client.headers(post("/v1/check", "application/json"), false);
        }
        client.flush();
      });
      assertReadOrClosed(client);
    }
  }

  @Test
  void incompleteHttp1HeadsAreBounded() throws IOException {
    var head = "GET / HTTP/1.1\nHost: x\n" + "a:\n".repeat(5_300);
    for (int i = 0; i < 400; i++) {
      var socket = socket();
      send(() -> socket.getOutputStream().write(head.getBytes(ISO_8859_1)));
    }
  }

  @Test
  void compressedMessageWithoutEncodingIsAnsweredAndDoesNotFillTheLog() throws IOException {
    long before = service.logged();
    var client = connect();
    for (int i = 0; i < 300; i++) {
      int stream = client.call(CHECK, message(1, new byte[10]), true);
      client.flush();
      assertThat(client.answer(stream).get("grpc-status")).hasToString("13");
    }
    assertThat(service.logged() - before).as("%s", service.log()).isLessThan(20);
  }

  @Test
  void flagInLaterMessageIsFoundHoweverTheBytesAreSplit() throws IOException {
    var client = connect();
    var both =
        ByteBuffer.allocate(11).put(message(0, new byte[0])).put(message(2, new byte[1])).array();
    int stream = client.headers(post(CHECK, "application/grpc").literal("te", "trailers"), false);
    for (int i = 0; i < both.length; i++) {
      client.data(stream, new byte[] {both[i]}, i == both.length - 1);
    }
    client.flush();
    assertThat(client.answer(stream).get("grpc-status")).hasToString("13");
  }

  @Test
  void pipelinedRequestsWithUnreadResponsesDoNotFillTheLog() throws IOException {
    long before = service.logged();
    var requests = "GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2_000);
    for (int i = 0; i < 40; i++) {
      var socket = socket();
      socket.setReceiveBufferSize(4 * 1024);
      send(() -> socket.getOutputStream().write(requests.getBytes(ISO_8859_1)));
    }
    assertDecided();
    assertThat(service.logged() - before).as("%s", service.log()).isLessThan(20);
  }

  @Test
  void healthWatchesOfOneConnectionAreLimited() throws IOException {
    var client = connect();
    var request = message(0, HealthCheckRequest.getDefaultInstance().toByteArray());
    for (int i = 0; i < 16; i++) client.call(WATCH, request, true);
    int tooMany = client.call(WATCH, request, true);
    client.flush();
    assertThat(client.answer(tooMany).get("grpc-status")).hasToString("8");
  }

  @Test
  void healthWatchesOfManyConnectionsAreBounded() throws IOException {
    var request = message(0, HealthCheckRequest.getDefaultInstance().toByteArray());
    int refused = 0;
    for (int i = 0; i < 80; i++) {
      var client = connect(0);
      for (int call = 0; call < 15; call++) client.call(WATCH, request, true);
      int last = client.call(WATCH, request, true);
      client.flush();
      while (true) {
        var frame = client.next();
        if (frame.stream() != last || frame.type() != HEADERS) continue;
        if (frame.endsStream()) refused++; // nothing but trailers
        break;
      }
    }
    assertThat(refused).as("80 x 16 watches on two event loops").isPositive();
  }

  @Test
  void unreadReflectionResponsesAreBounded() throws IOException {
    var symbol = "envoy.service.ratelimit.v3.RateLimitService".getBytes(ISO_8859_1);
    // file_containing_symbol is field 4
    var request = ByteBuffer.allocate(symbol.length + 2).put((byte) 0x22).put((byte) symbol.length);
    var message = message(0, request.put(symbol).array());
    for (int i = 0; i < 4; i++) {
      var client = connect(0);
      send(() -> {
        for (int call = 0; call < STREAMS; call++) {
          int stream = client.call(REFLECTION, message, false);
          for (int more = 0; more < 20; more++) client.data(stream, message, false);
        }
        client.flush();
      });
      assertReadOrClosed(client);
    }
  }

  @Test
  void pingAndSettingsFloodsAreBounded() throws IOException {
    var client = connect();
    send(() -> {
      for (int i = 0; i < 100_000; i++) client.frame(PING, 0, 0, new byte[8]);
      client.flush();
    });
    var other = connect();
    send(() -> {
      for (int i = 0; i < 100_000; i++) other.settings(4, i % 2 == 0 ? 0 : 65_535);
      other.flush();
    });
  }

  @Test
  void thousandsOfResetStreamsCloseTheConnection() throws IOException {
    var client = connect();
    send(() -> {
      for (int i = 0; i < 25_000; i++) client.reset(client.get("/health/live"));
      client.flush();
    });
    assertThat(client.isClosedByServer()).isTrue();
  }

  @Test
  void unreadResponsesOfResetStreamsAreBounded() throws IOException {
    for (int i = 0; i < 4; i++) {
      var client = connect();
      send(() -> {
        for (int stream = 0; stream < 19_000; stream++) client.reset(client.get("/v1/revisions"));
        client.flush();
      });
    }
    assertDecided();
  }

  @Test
  void unreadResponsesOfStreamsResetByTheServerAreBounded() throws IOException {
    for (int i = 0; i < 4; i++) {
      var client = connect();
      send(() -> {
        for (int stream = 0; stream < 10_000; stream++) {
          client.window(client.get("/v1/revisions"), 0); // an error of the stream
        }
        client.flush();
      });
      assertReadOrClosed(client);
    }
  }

  @Test
  void endlessHeadersCloseTheConnection() throws IOException {
    var client = connect();
    send(() -> {
      client.frame(HEADERS, 0, 1, post("/", "a/b").bytes());
      var more = new Block().literal("x", "y".repeat(1_000)).bytes();
      for (int i = 0; i < 100_000; i++) client.frame(CONTINUATION, 0, 1, more);
      client.flush();
    });
    assertThat(client.isClosedByServer()).isTrue();
  }

  @Test
  void tooLongHeadersAreRejected() throws IOException {
    var client = connect();
    var block = post("/v1/check", "application/json");
    for (int i = 0; i < 9; i++) block.literal("x-" + i, "y".repeat(1_900));
    send(() -> {
      client.frame(HEADERS, 0, 1, new Block().bytes());
      client.frame(CONTINUATION, Http2Client.END_HEADERS, 1, block.bytes());
      client.flush();
    });
    assertReadOrClosed(client);
  }

  @Test
  void overflowingWindowEndsItsStreamOrTheConnection() throws IOException {
    var client = connect(0);
    int stream = client.get("/openapi.yaml");
    client.window(stream, Integer.MAX_VALUE);
    client.window(stream, Integer.MAX_VALUE);
    client.flush();
    while (true) {
      var frame = client.next();
      if (frame.type() == GOAWAY || frame.type() == RST_STREAM) break;
    }
    var client2 = connect(0);
    send(() -> {
      for (int i = 0; i < STREAMS; i++) {
        int one = client2.get("/openapi.yaml");
        client2.window(one, 1);
        client2.settings(4, i);
      }
      client2.flush();
    });
    assertReadOrClosed(client2);
  }

  @Test
  void oversizedMessageIsAnswered() throws IOException {
    var client = connect();
    int stream = client.call(CHECK, new byte[] {0, 0x7f, -1, -1, -1, 1, 2, 3}, false);
    client.flush();
    assertThat(client.answer(stream).get("grpc-status")).isNotNull();
  }

  @Test
  void textThatIsNotUtf8IsAnswered() throws IOException {
    var client = connect();
    // A domain (field 1) of one byte that is not UTF-8.
    int stream = client.call(CHECK, message(0, new byte[] {0x0a, 1, -1}), true);
    client.flush();
    assertThat(client.answer(stream).get("grpc-status")).isNotNull();
    var json = new byte[] {'{', '"', 'k', 'e', 'y', '"', ':', '"', -1, '"', '}'};
    var answer = service.request(service.to("/v1/check").POST(BodyPublishers.ofByteArray(json)));
    assertThat(answer.statusCode()).isIn(200, 400);
  }

  @Test
  void slowClientsDoNotDelayOthers() {
    for (int i = 0; i < 200; i++) {
      try {
        socket().getOutputStream().write("POST /v1/check HTTP/1.1\r\nHost:".getBytes(ISO_8859_1));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
