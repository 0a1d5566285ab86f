package io.headgate.server.http.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.api.AccessControl;
import io.headgate.server.api.Readiness;
import io.headgate.server.api.TokenSet;
import io.headgate.testkit.Eventually;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Event streams whose seconds are advanced by the test. */
class EventStreamsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final TokenSet BOTH = TokenSet.NONE.withRead("good", "").withRead("revoked", "");

  private final Vertx vertx = Vertx.vertx();
  private final AccessControl access = new AccessControl(BOTH);
  private final Readiness readiness = new Readiness();
  private final EventStreams streams = new EventStreams(readiness, access);
  private final HttpClient client = HttpClient.newHttpClient();
  private HttpServer server;

  /** Reads events as they arrive. */
  private final class Reader {
    final List<String> lines = new CopyOnWriteArrayList<>();
    final Future<Void> ended;

    Reader(String token) throws Exception {
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.actualPort()))
              .header("Authorization", "Bearer " + token)
              .build();
      var response = client.send(request, BodyHandlers.ofLines());
      ended =
          CompletableFuture.runAsync(
              () -> response.body().forEach(lines::add), Thread::startVirtualThread);
      Eventually.holds("the stream has begun", TIMEOUT, () -> lines.contains("retry: 2000"));
    }

    long events() {
      return lines.stream().filter("event: stats"::equals).count();
    }
  }

  @BeforeEach
  void start() throws Exception {
    server =
        vertx
            .createHttpServer()
            .requestHandler(request -> {
              var connections =
                  new ConnectionTracker(ConnectionLimits.DEFAULT, MemoryBudget.ofHeap(), 1);
              streams.open(new Exchange(request, vertx, connections, readiness));
            })
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get(20, TimeUnit.SECONDS);
  }

  @AfterEach
  void stop() throws Exception {
    client.shutdownNow();
    vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  @Test
  void revokedTokenEndsItsStream() throws Exception {
    var stays = new Reader("good");
    var goes = new Reader("revoked");
    streams.send(() -> "{}", () -> "{}");
    Eventually.holds(
        "both receive the event", TIMEOUT, () -> stays.events() == 1 && goes.events() == 1);
    access.replace(TokenSet.NONE.withRead("good", ""));
    streams.send(() -> "{}", () -> "{}");
    goes.ended.get(20, TimeUnit.SECONDS);
    assertThat(goes.events()).isEqualTo(1);
    Eventually.holds("the other stream continues", TIMEOUT, () -> stays.events() == 2);
    assertThat(stays.ended.isDone()).isFalse();
  }

  @Test
  void administratorsReceiveTheWholeEvent() throws Exception {
    access.replace(BOTH.withAdmin("admin", ""));
    var admin = new Reader("admin");
    var reader = new Reader("good");
    streams.send(() -> "{\"whole\":1}", () -> "{\"masked\":1}");
    Eventually.holds(
        "both receive the event", TIMEOUT, () -> admin.events() == 1 && reader.events() == 1);
    assertThat(admin.lines).contains("data: {\"whole\":1}");
    assertThat(reader.lines).contains("data: {\"masked\":1}");
  }

  @Test
  void eventsAreNotFollowedByComments() throws Exception {
    var reader = new Reader("good");
    for (int i = 1; i <= 40; i++) {
      int sent = i;
      streams.send(() -> "{}", () -> "{}");
      Eventually.holds("the event is received", TIMEOUT, () -> reader.events() == sent);
    }
    assertThat(reader.lines).noneMatch(line -> line.startsWith(":"));
  }
}
