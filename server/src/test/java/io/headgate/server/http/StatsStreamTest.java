package io.headgate.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.http.transport.EventStream;
import io.headgate.server.http.transport.EventStreams;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StatsStreamTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Rule USERS =
      Rule.named("users").match("key", "user:*").limit(FixedWindow.of(Rate.perHour(3))).build();

  /** Reads events as they arrive. */
  private static final class Reader implements AutoCloseable {
    final List<String> lines = new CopyOnWriteArrayList<>();
    final CompletableFuture<Void> ended;
    final HttpResponse<Stream<String>> response;
    private final HttpClient client;

    Reader(int port, HttpClient.Version version) throws IOException, InterruptedException {
      this.client = HttpClient.newBuilder().version(version).build();
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/v1/stream".formatted(port)))
              .header("Accept", "text/event-stream")
              .build();
      this.response = client.send(request, HttpResponse.BodyHandlers.ofLines());
      this.ended =
          CompletableFuture.runAsync(
              () -> response.body().forEach(lines::add), Thread::startVirtualThread);
    }

    boolean has(String text) {
      return lines.stream().anyMatch(line -> line.contains(text));
    }

    List<String> data() {
      return lines.stream().filter(l -> l.startsWith("data: ")).map(l -> l.substring(6)).toList();
    }

    @Override
    public void close() {
      client.shutdownNow();
    }
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void eachSecondAndEachRuleChangeIsSent(HttpClient.Version version) throws Exception {
    try (var service = RunningService.withGrace(TIMEOUT, USERS);
        var reader = new Reader(service.port(), version)) {
      assertThat(reader.response.headers().firstValue("content-type"))
          .hasValue("text/event-stream");
      assertThat(reader.response.headers().firstValue("cache-control")).hasValue("no-store");
      await().atMost(TIMEOUT).until(() -> reader.has("event: stats"));
      assertThat(reader.lines.getFirst()).isEqualTo("retry: 2000");
      service.post("/v1/check", "{\"key\":\"user:1\"}");
      await().atMost(TIMEOUT).until(() -> ticks(reader) == 1);
      service.repository.change(
          ExpectedRevision.any(), new ChangeInfo("me", "", true), r -> List.of());
      await().atMost(TIMEOUT).until(() -> reader.has("event: rules"));
      assertThat(reader.data()).contains("{\"revision\":2}");
      // Stopping the service ends the stream at once, and gracefully.
      CompletableFuture.runAsync(service::stop).get(20, TimeUnit.SECONDS);
      reader.ended.get(20, TimeUnit.SECONDS);
    }
  }

  private static int ticks(Reader reader) throws IOException {
    int allowed = 0;
    for (var data : reader.data()) allowed += JSON.readTree(data).at("/tick/allowed").asInt();
    return allowed;
  }

  @Test
  void streamDoesNotCountAsIdle() throws Exception {
    var limits =
        new ConnectionLimits(
            100, 100, Duration.ofMillis(300), Duration.ofMillis(300), Duration.ofMillis(300));
    try (var service = RunningService.limiting(limits, USERS);
        var reader = new Reader(service.port(), HttpClient.Version.HTTP_1_1)) {
      await().atMost(TIMEOUT).until(() -> reader.data().size() >= 3);
      assertThat(reader.ended).isNotDone();
    }
  }

  @Test
  void streamsAreLimitedAndClosedOnesFreeTheirPlace() throws Exception {
    try (var service = RunningService.with(USERS)) {
      var open = new ArrayList<Socket>();
      try {
        for (int i = 0; i < EventStreams.MAX_STREAMS; i++) {
          var socket = new Socket(InetAddress.getLoopbackAddress(), service.port());
          open.add(socket);
          socket.getOutputStream().write(RawConnection.head("GET /v1/stream"));
          assertThat(socket.getInputStream().readNBytes(12)).asString().isEqualTo("HTTP/1.1 200");
        }
        var refused = service.request("GET", "/v1/stream");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.header("Retry-After")).isEqualTo("30");
        open.removeLast().close();
        await()
            .atMost(TIMEOUT)
            .until(() -> {
              try (var again = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
                again.getOutputStream().write(RawConnection.head("GET /v1/stream"));
                return new String(again.getInputStream().readNBytes(12), US_ASCII).endsWith("200");
              }
            });
      } finally {
        for (var socket : open) socket.close();
      }
    }
  }

  @Test
  void headRequestIsAnsweredWithoutAStream() throws Exception {
    try (var service = RunningService.with(USERS);
        var client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:%d/v1/stream".formatted(service.port())))
              .HEAD()
              .build();
      var answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("content-type")).hasValue("text/event-stream");
    }
  }

  /** Uses events large enough to fill the socket buffers. */
  @Test
  void clientThatDoesNotReadIsDisconnected() throws Exception {
    var vertx = Vertx.vertx();
    try {
      var opened = new CompletableFuture<EventStream>();
      var ended = new CompletableFuture<Void>();
      var server =
          vertx
              .createHttpServer()
              .requestHandler(request -> {
                request.response().setChunked(true);
                var stream = new EventStream(request, vertx.getOrCreateContext());
                stream.onEnd(() -> ended.complete(null));
                opened.complete(stream);
              })
              .listen(0, "127.0.0.1")
              .toCompletionStage()
              .toCompletableFuture()
              .get(20, TimeUnit.SECONDS);
      try (var silent = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
        silent.getOutputStream().write(RawConnection.head("GET /"));
        var stream = opened.get(20, TimeUnit.SECONDS);
        var event = Buffer.buffer("x".repeat(1_000_000));
        await()
            .atMost(TIMEOUT)
            .until(() -> {
              stream.send(event);
              return ended.isDone();
            });
      }
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
  }
}
