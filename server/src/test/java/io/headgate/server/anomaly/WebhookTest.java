package io.headgate.server.anomaly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.http.stats.AnomalyJson;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests delivery to a real HTTP server that sometimes fails. */
class WebhookTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final String SECRET = "only-we-know-this";

  private record Received(Map<String, String> headers, String body) {
    String header(String name) {
      return headers.getOrDefault(name.toLowerCase(java.util.Locale.ROOT), "");
    }
  }

  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final Queue<Integer> statuses = new ArrayDeque<>(); // guarded by itself; 200 when empty
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/hook",
        exchange -> {
          var headers = new java.util.HashMap<String, String>();
          exchange
              .getRequestHeaders()
              .forEach((k, v) -> headers.put(k.toLowerCase(java.util.Locale.ROOT), v.getFirst()));
          var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          received.add(new Received(headers, body));
          int status;
          synchronized (statuses) {
            status = statuses.isEmpty() ? 200 : statuses.remove();
          }
          exchange.getResponseHeaders().add("Location", "/elsewhere");
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.createContext(
        "/elsewhere",
        exchange -> {
          received.add(new Received(Map.of(), "followed"));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private Webhook webhook(Optional<String> secret) {
    String address = "http://127.0.0.1:%d/hook".formatted(server.getAddress().getPort());
    return new Webhook(
        WebhookTarget.of(address, secret),
        "abc",
        CallerMask.NONE,
        a -> "{\"n\":" + a.id() + "}",
        Duration.ofMillis(2));
  }

  private void respondWith(Integer... next) {
    synchronized (statuses) {
      statuses.addAll(List.of(next));
    }
  }

  private static Anomaly anomaly(int id, boolean open) {
    return new Anomaly(
        Integer.toString(id),
        Anomaly.Kind.RATE,
        Anomaly.Severity.WARNING,
        1,
        open ? OptionalLong.empty() : OptionalLong.of(2),
        Optional.empty(),
        Optional.empty(),
        1,
        OptionalDouble.empty(),
        "text");
  }

  @Test
  void openedAndClosedAnomaliesAreDeliveredAndSigned() {
    try (var webhook = webhook(Optional.of(SECRET))) {
      webhook.report(anomaly(17, true));
      webhook.report(anomaly(17, false));
      await().atMost(TIMEOUT).until(() -> received.size() == 2);
    }
    var opened = received.getFirst();
    assertThat(opened.body)
        .isEqualTo(
            "{\"id\":\"abc-17-opened\",\"event\":\"opened\",\"instance\":\"abc\","
                + "\"anomaly\":{\"n\":17}}");
    assertThat(received.getLast().body).contains("\"event\":\"closed\"");
    assertThat(opened.header(Webhook.ID)).isEqualTo("abc-17-opened");
    assertThat(opened.header(Webhook.SIGNATURE))
        .isEqualTo(
            "v1=" + Webhook.sign(SECRET, opened.header(Webhook.TIMESTAMP) + "." + opened.body));
    assertThat(opened.header("Content-Type")).isEqualTo("application/json");
  }

  @Test
  void callersAreMaskedInMessages() {
    String address = "http://127.0.0.1:%d/hook".formatted(server.getAddress().getPort());
    var mask = CallerMask.of(new byte[] {1}, List.of("api-key"));
    var target = WebhookTarget.of(address, Optional.empty());
    try (var webhook = new Webhook(target, "abc", mask, AnomalyJson::json)) {
      webhook.report(ofCaller(Anomaly.Kind.RATE, "api-key=s3cr3t-k3y", "%s sends more"));
      webhook.report(ofCaller(Anomaly.Kind.NEW_CALLER, "a", "new caller %s, first seen"));
      await().atMost(TIMEOUT).until(() -> received.size() == 2);
    }
    String shown = mask.name("api-key=s3cr3t-k3y");
    assertThat(shown).startsWith("api-key=s3…3y#");
    assertThat(received.getFirst().body)
        .contains("\"caller\":\"" + shown + "\"", "\"text\":\"" + shown + " sends more\"")
        .doesNotContain("s3cr3t");
    assertThat(received.getLast().body)
        .contains("\"text\":\"new caller " + mask.name("a") + ", first seen\"");
  }

  private static Anomaly ofCaller(Anomaly.Kind kind, String caller, String text) {
    return new Anomaly(
        "1",
        kind,
        Anomaly.Severity.WARNING,
        1,
        OptionalLong.empty(),
        Optional.empty(),
        Optional.of(caller),
        1,
        OptionalDouble.empty(),
        text.formatted(caller));
  }

  /** The known answer of RFC 4231. */
  @Test
  void signatureMatchesTheReferenceVector() {
    assertThat(Webhook.sign("Jefe", "what do ya want for nothing?"))
        .isEqualTo("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  }

  @Test
  void failedDeliveryIsRetriedWithTheSameId() {
    respondWith(500, 503, 429);
    try (var webhook = webhook(Optional.empty())) {
      webhook.report(anomaly(1, true));
      webhook.report(anomaly(2, true));
      await().atMost(TIMEOUT).until(() -> received.size() == 5);
    }
    assertThat(received.subList(0, 4)).allMatch(r -> r.header(Webhook.ID).equals("abc-1-opened"));
    assertThat(received.getLast().header(Webhook.ID)).isEqualTo("abc-2-opened");
    assertThat(received.getFirst().header(Webhook.SIGNATURE)).isEmpty();
  }

  @Test
  void deliveryIsAbandonedAfterTheLastAttemptAndTheNextOneFollows() {
    respondWith(500, 500, 500, 500, 500, 500);
    try (var webhook = webhook(Optional.empty())) {
      webhook.report(anomaly(1, true));
      webhook.report(anomaly(2, true));
      await().atMost(TIMEOUT).until(() -> received.size() == 7);
    }
    assertThat(received.getLast().header(Webhook.ID)).isEqualTo("abc-2-opened");
  }

  @Test
  void redirectIsNotFollowedAndRejectionIsNotRetried() {
    respondWith(302, 400);
    try (var webhook = webhook(Optional.empty())) {
      for (int i = 1; i <= 3; i++) webhook.report(anomaly(i, true));
      await().atMost(TIMEOUT).until(() -> received.size() == 3);
    }
    assertThat(received.stream().map(r -> r.header(Webhook.ID)))
        .containsExactly("abc-1-opened", "abc-2-opened", "abc-3-opened");
  }

  @Test
  void addressAndSecretAreNotRevealed() {
    var target = WebhookTarget.of("https://example.com:8443/T0K3N?key=1", Optional.of(SECRET));
    assertThat(target.toString()).isEqualTo("https://example.com:8443");
    for (var wrong : List.of("ftp://x/", "https://me:pass@x/", "nonsense", "http://", "http:x")) {
      assertThatThrownBy(() -> WebhookTarget.of(wrong, Optional.empty()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageNotContaining(wrong);
    }
    assertThatThrownBy(() -> WebhookTarget.of("http://x/", Optional.of("tooshort")))
        .hasMessageContaining("16")
        .hasMessageNotContaining("tooshort");
  }
}
