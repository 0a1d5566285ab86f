package io.headgate.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.load.CallOutcome;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import io.headgate.testkit.Eventually;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The behaviour of the filter in every servlet container. Each test has rules of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FilterContract {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final String RULES =
      """
      rules:
        - { id: two, match: { case: two, ip: "0.0.0.0/0" }, per: [key], limit: { algorithm: token-bucket, rate: 2/1h } }
        - { id: six, match: { case: six, ip: "::/0" }, per: [ip], limit: { algorithm: token-bucket, rate: 1/1h } }
        - { id: address, match: { case: address, ip: "*" }, limit: { algorithm: token-bucket, rate: 1/1h } }
        - { id: who, match: { case: who, user: "*" }, limit: { algorithm: token-bucket, rate: 1/1h } }
        - { id: login, match: { case: path, path: /login, method: POST }, limit: { algorithm: token-bucket, rate: 1/1h } }
        - { id: blocked, match: { case: blocked }, limit: deny }
        - { id: teapot, match: { case: teapot }, status: 418, limit: { algorithm: fixed-window, rate: 1/1h } }
        - { id: shaped, match: { case: shaped }, limit: { algorithm: leaky-bucket, rate: 10/1s, queue: 5 } }
        - { id: shaped-hours, match: { case: shaped-hours }, limit: { algorithm: leaky-bucket, rate: 1/1h, queue: 5 } }
        - { id: slot, match: { case: slot, key: "*" }, limit: { algorithm: concurrency, max: 1, lease: 5m } }
        - { id: adaptive, match: { case: adaptive }, limit: { algorithm: adaptive-concurrency, min: 5, max: 9 } }
      """;

  private final RecordingStore store = new RecordingStore();
  private final RateLimiter limiter = RateLimiter.with(store, RuleSet.of(RuleFile.read(RULES)));
  private final HttpClient client = HttpClient.newHttpClient();
  private final TestServlet servlet = new TestServlet();
  private final ServletServer.Starter starter;
  private ServletServer server;

  FilterContract(ServletServer.Starter starter) {
    this.starter = starter;
  }

  @BeforeAll
  void start() throws Exception {
    var subject =
        DefaultSubjectResolver.builder()
            .trustedProxies(TrustedProxies.of(List.of("127.0.0.1", "10.0.0.0/8")))
            .header("Case")
            .header("X-Key", "key")
            .build();
    Filter login = new PrincipalFilter();
    Filter filter = HeadgateFilter.builder(limiter).subject(subject).build();
    server = starter.start(List.of(login, filter), servlet);
  }

  @AfterAll
  void stop() throws Exception {
    servlet.proceed();
    server.close();
    client.close();
    limiter.close();
  }

  private HttpRequest request(String method, String path, String... headers) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
        .method(method, HttpRequest.BodyPublishers.noBody())
        .timeout(PATIENCE)
        .headers(headers)
        .build();
  }

  private HttpResponse<String> get(String path, String... headers)
      throws IOException, InterruptedException {
    return client.send(request("GET", path, headers), HttpResponse.BodyHandlers.ofString());
  }

  private CompletableFuture<HttpResponse<String>> start(String path, String... headers) {
    return client.sendAsync(request("GET", path, headers), HttpResponse.BodyHandlers.ofString());
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse(null);
  }

  @Test
  void allowedRequestHasTheRateLimitHeaders() throws Exception {
    var response = get("/hello", "Case", "two", "X-Key", "headers");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("hello");
    assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"two\";q=2;w=3600");
    assertThat(header(response, "RateLimit")).isEqualTo("\"two\";r=1;t=1800");
    assertThat(header(response, "X-RateLimit-Limit")).isEqualTo("2");
    assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("1");
    assertThat(header(response, "X-RateLimit-Reset")).containsOnlyDigits();
    assertThat(header(response, "Retry-After")).isNull();
    assertThat(header(response, "Cache-Control")).isNull();
  }

  @Test
  void deniedRequestIsAProblemWithARetryTime() throws Exception {
    for (int i = 0; i < 2; i++) get("/hello", "Case", "two", "X-Key", "denied");
    int served = servlet.served();
    var response = get("/hello", "Case", "two", "X-Key", "denied");
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(header(response, "Content-Type")).startsWith("application/problem+json");
    assertThat(response.body())
        .isEqualTo(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                + "\"title\":\"Quota exceeded\",\"status\":429,\"violated-policies\":[\"two\"]}");
    assertThat(header(response, "RateLimit")).isEqualTo("\"two\";r=0;t=1800");
    assertThat(header(response, "Retry-After")).isEqualTo("1800");
    assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
    assertThat(servlet.served()).isEqualTo(served);
  }

  @Test
  void requestWithoutARuleHasNoHeaders() throws Exception {
    var response = get("/hello", "Case", "none");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().map().keySet()).noneMatch(name -> name.contains("ratelimit"));
  }

  @Test
  void ruleDeterminesTheStatus() throws Exception {
    assertThat(get("/hello", "Case", "blocked").statusCode()).isEqualTo(403);
    assertThat(get("/hello", "Case", "teapot").statusCode()).isEqualTo(200);
    assertThat(get("/hello", "Case", "teapot").statusCode()).isEqualTo(418);
  }

  @Test
  void clientIsTheLastAddressThatIsNotATrustedProxy() throws Exception {
    var forged = List.of("198.51.100.1", "198.51.100.2", "198.51.100.3");
    var statuses =
        forged.stream()
            .map(first -> first + ", 203.0.113.9, 10.0.0.7")
            .map(line -> start("/hello", "Case", "address", "X-Forwarded-For", line).join())
            .map(HttpResponse::statusCode)
            .toList();
    assertThat(statuses).containsExactly(200, 429, 429);
    assertThat(get("/hello", "Case", "address", "X-Forwarded-For", "203.0.113.8").statusCode())
        .isEqualTo(200);
  }

  @Test
  void addressesOfOneNetworkShareACounter() throws Exception {
    assertThat(get("/hello", "Case", "six", "X-Forwarded-For", "2001:db8::1").statusCode())
        .isEqualTo(200);
    assertThat(get("/hello", "Case", "six", "X-Forwarded-For", "2001:DB8::2:1").statusCode())
        .isEqualTo(429);
    assertThat(get("/hello", "Case", "six", "X-Forwarded-For", "2001:db8:0:1::1").statusCode())
        .isEqualTo(200);
  }

  @Test
  void principalIsTheUser() throws Exception {
    assertThat(get("/hello", "Case", "who", "X-User", "ann").statusCode()).isEqualTo(200);
    assertThat(get("/hello", "Case", "who", "X-User", "ann").statusCode()).isEqualTo(429);
    assertThat(get("/hello", "Case", "who", "X-User", "bob").statusCode()).isEqualTo(200);
    assertThat(get("/hello", "Case", "who").statusCode()).isEqualTo(200);
  }

  @Test
  void spellingsOfAPathShareALimit() throws Exception {
    var handler = HttpResponse.BodyHandlers.ofString();
    assertThat(client.send(request("POST", "/login", "Case", "path"), handler).statusCode())
        .isEqualTo(200);
    assertThat(client.send(request("POST", "/%6cogin;a=1", "Case", "path"), handler).statusCode())
        .isEqualTo(429);
    assertThat(get("/login", "Case", "path").statusCode()).isEqualTo(200);
  }

  @Test
  void queuedRequestWaitsForItsTurn() throws Exception {
    long start = System.nanoTime();
    for (int i = 0; i < 3; i++) {
      assertThat(get("/hello", "Case", "shaped").statusCode()).isEqualTo(200);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(Duration.ofMillis(190));
  }

  @Test
  void delayBeyondTheMaximumIsADenial() throws Exception {
    assertThat(get("/hello", "Case", "shaped-hours").statusCode()).isEqualTo(200);
    for (int i = 0; i < 2; i++) {
      var response = get("/hello", "Case", "shaped-hours");
      assertThat(response.statusCode()).isEqualTo(429);
      assertThat(header(response, "Retry-After")).isEqualTo("3600");
    }
  }

  private boolean isFree(String key) {
    return limiter.peek(Subject.of(Map.of("case", "slot", "key", key))).isAllowed();
  }

  private void awaitFree(String key) {
    Eventually.holds("slot " + key + " is released", PATIENCE, () -> isFree(key));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/hold", "/async", "/async-dispatch", "/async-twice"})
  void slotIsHeldUntilTheRequestEnds(String path) throws Exception {
    servlet.pause();
    var first = start(path, "Case", "slot", "X-Key", path);
    servlet.awaitPaused();
    assertThat(isFree(path)).isFalse();
    assertThat(get("/hello", "Case", "slot", "X-Key", path).statusCode()).isEqualTo(429);
    servlet.proceed();
    assertThat(first.get().body()).isEqualTo("hello");
    awaitFree(path);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/fail", "/fail-async", "/timeout", "/early-dispatch"})
  void slotIsReleasedHoweverTheRequestEnds(String path) throws Exception {
    get(path, "Case", "slot", "X-Key", path);
    awaitFree(path);
  }

  @Test
  void slotIsReleasedIfTheClientLeaves() {
    servlet.pause();
    var first = start("/async", "Case", "slot", "X-Key", "leaves");
    servlet.awaitPaused();
    first.cancel(true);
    servlet.proceed();
    awaitFree("leaves");
  }

  @Test
  void adaptiveLimitLearnsOutcomeAndDuration() throws Exception {
    store.calls().clear();
    for (var path : List.of("/hello", "/unavailable", "/fail", "/timeout")) {
      int seen = store.calls().size();
      get(path, "Case", "adaptive");
      Eventually.holds("call is reported", PATIENCE, () -> store.calls().size() > seen);
    }
    assertThat(store.calls())
        .extracting(call -> call.outcome())
        .containsExactly(
            CallOutcome.SUCCESS, CallOutcome.DROPPED, CallOutcome.ERROR, CallOutcome.DROPPED);
    assertThat(store.calls().getLast().durationMicros())
        .isGreaterThanOrEqualTo(TestServlet.TIMEOUT_MILLIS * 1_000);
  }

  @Test
  void requestThatCannotBeCheckedIsNotServed() throws Exception {
    int served = servlet.served();
    store.unavailable(true);
    try {
      var response = get("/hello", "Case", "two", "X-Key", "outage");
      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(header(response, "Content-Type")).startsWith("application/problem+json");
      assertThat(servlet.served()).isEqualTo(served);
    } finally {
      store.unavailable(false);
    }
  }
}
