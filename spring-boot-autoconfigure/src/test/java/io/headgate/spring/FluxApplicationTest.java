package io.headgate.spring;

import static io.headgate.spring.HttpCalls.header;
import static io.headgate.spring.app.ObservedChecks.assertObserved;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.headgate.RateLimiter;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Subject;
import io.headgate.spring.app.FluxApplication;
import io.headgate.spring.app.MvcApplication;
import io.headgate.spring.app.ObservedChecks;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FaultProxy;
import io.headgate.testkit.redis.RedisServer;
import io.micrometer.observation.tck.TestObservationRegistry;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** An application with WebFlux and Spring Cloud Gateway on a real port, with a real Redis. */
@SpringBootTest(
    classes = FluxApplication.class,
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {
      "server.address=127.0.0.1",
      "spring.main.banner-mode=off",
      "spring.main.web-application-type=reactive",
      "headgate.rules-file=classpath:flux-rules.yaml",
      "headgate.redis.deadline=3s",
      "headgate.web.route=true",
      "headgate.web.headers.[X-Client]=client",
      "management.health.redis.enabled=false",
      "management.endpoints.web.exposure.include=*",
      "management.endpoint.health.show-details=always"
    })
@DirtiesContext // closes the connections before Redis is stopped
@Import(ObservedChecks.class)
class FluxApplicationTest {
  private static final RedisServer REDIS = RedisServer.start();
  private static final FaultProxy PROXY = FaultProxy.to(REDIS.port());

  @LocalServerPort private int port;
  @Autowired private RateLimiter limiter;
  @Autowired private TestObservationRegistry observations;
  @Autowired private FluxApplication.Pages pages;

  private HttpCalls http;

  @DynamicPropertySource
  static void store(DynamicPropertyRegistry properties) {
    properties.add("headgate.store", () -> "redis://127.0.0.1:" + PROXY.port());
  }

  @AfterAll
  static void stop() {
    PROXY.close();
    REDIS.close();
  }

  @BeforeEach
  void connect() {
    http = new HttpCalls(port);
  }

  @AfterEach
  void disconnect() {
    PROXY.pass();
    http.close();
  }

  @Test
  void requestBeyondTheLimitIsDenied() {
    for (int i = 0; i < 2; i++) {
      var allowed = http.get("/hello", "X-Client", "two");
      assertThat(allowed.statusCode()).isEqualTo(200);
      assertThat(allowed.body()).isEqualTo("hello");
      assertThat(header(allowed, "RateLimit-Policy")).isEqualTo("\"per-client\";q=2;w=3600");
    }
    var denied = http.get("/hello", "X-Client", "two");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(header(denied, "Retry-After")).isEqualTo("1800");
    assertThat(header(denied, "Cache-Control")).isEqualTo("no-store");
    assertThat(header(denied, "Content-Type")).startsWith("application/problem+json");
    assertThat(denied.body()).contains("\"violated-policies\":[\"per-client\"]");
  }

  @Test
  void routeIsThePatternOfTheHandler() {
    assertThat(http.get("/users/1").statusCode()).isEqualTo(200);
    assertThat(http.get("/users/2").statusCode()).isEqualTo(429);
  }

  @Test
  void deniedMethodCallIsTheResponseOfADeniedRequest() {
    assertThat(http.get("/report?user=ann").body()).isEqualTo("report of ann");
    var denied = http.get("/report?user=ann");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(header(denied, "Retry-After")).isEqualTo("3600");
    assertThat(http.get("/report?user=bob").statusCode()).isEqualTo(200);
  }

  @Test
  void slotIsHeldUntilTheResponseIsComplete() {
    var first = http.start("/slow", "X-Client", "slow");
    pages.awaitHeld();
    assertThat(http.get("/slow", "X-Client", "slow").statusCode()).isEqualTo(429);
    pages.complete();
    assertThat(first.join().body()).isEqualTo("slow");
    awaitFree("slow");
  }

  @Test
  void slotIsReleasedIfTheClientLeaves() {
    try (var leaving = new HttpCalls(port)) {
      var unused = leaving.start("/slow", "X-Client", "leaving");
      pages.awaitHeld();
      assertThat(isFree("leaving")).isFalse();
    }
    awaitFree("leaving");
    pages.complete();
  }

  private boolean isFree(String client) {
    return limiter.peek(Subject.of(Map.of("client", client, "path", "/slow"))).isAllowed();
  }

  private void awaitFree(String client) {
    Eventually.holds("the slot is released", HttpCalls.PATIENCE, () -> isFree(client));
  }

  @Test
  void queuedRequestWaitsForItsTurn() {
    long start = System.nanoTime();
    for (int i = 0; i < 3; i++) {
      assertThat(http.get("/free", "X-Client", "shaped").statusCode()).isEqualTo(404);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(Duration.ofMillis(190));
  }

  @Test
  void checksAreObservedWithinTheirRequestOnOtherThreads() {
    for (int i = 0; i < 3; i++) http.get("/hello", "X-Client", "observed");
    assertObserved(observations, "client", "observed", "per-client", "allowed");
    assertObserved(observations, "client", "observed", "per-client", "denied");
    http.get("/report?user=observed");
    assertObserved(observations, "key", "report-observed", "reports", "allowed");
  }

  @Test
  void handlersDoNotRunOnTheThreadsOfTheStore() {
    assertThat(http.get("/thread").body()).containsPattern("^(webflux|reactor)-http-");
  }

  @Test
  void gatewayRouteIsLimitedByItsKey() {
    assertThat(http.get("/gateway/a", "X-Gateway-Key", "a").body()).isEqualTo("hello");
    var denied = http.get("/gateway/a", "X-Gateway-Key", "a");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(header(denied, "Retry-After")).isEqualTo("3600");
    assertThat(header(denied, "RateLimit")).isEqualTo("\"gateway\";r=0;t=3600");
    assertThat(http.get("/gateway/a", "X-Gateway-Key", "b").statusCode()).isEqualTo(200);
  }

  @Test
  void twoApplicationsShareOneLimitExactly() {
    try (var other =
            new SpringApplicationBuilder(MvcApplication.class)
                .run(
                    "--server.port=0",
                    "--server.address=127.0.0.1",
                    "--spring.main.banner-mode=off",
                    "--spring.main.web-application-type=servlet",
                    "--spring.cloud.gateway.server.webflux.enabled=false",
                    "--headgate.rules-file=classpath:flux-rules.yaml",
                    "--headgate.web.headers.[X-Client]=client",
                    "--headgate.redis.deadline=2s",
                    "--spring.data.redis.host=127.0.0.1",
                    "--spring.data.redis.port=" + REDIS.port());
        var second =
            new HttpCalls(
                other.getEnvironment().getProperty("local.server.port", Integer.class, 0))) {
      assertThat(other.getBean(RateLimiter.class).store()).isInstanceOf(RedisStore.class);
      var calls = new ArrayList<CompletableFuture<HttpResponse<String>>>();
      for (int i = 0; i < 60; i++) {
        calls.add(http.start("/hello", "X-Client", "shared"));
        calls.add(second.start("/hello", "X-Client", "shared"));
      }
      var statuses = calls.stream().map(CompletableFuture::join).map(HttpResponse::statusCode);
      assertThat(statuses.filter(status -> status == 200)).hasSize(50);
    }
  }

  @Test
  void silentStoreBlocksNoThreadAndIsNoOutageOfTheApplication() {
    PROXY.blackhole();
    var waiting =
        IntStream.range(0, 16).mapToObj(i -> http.start("/thread", "X-Client", "outage")).toList();
    // More requests wait than there are event loops, and another one is served nevertheless.
    assertThat(http.get("/free").statusCode()).isEqualTo(404);
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    assertThat(waiting.stream().map(CompletableFuture::join).map(HttpResponse::statusCode))
        .containsOnly(200);
    Eventually.holds(
        "the health is degraded", HttpCalls.PATIENCE, () -> status().equals("DEGRADED"));
    var health = http.get("/actuator/health");
    assertThat(health.statusCode()).isEqualTo(200);
    assertThat(JsonPath.<String>read(health.body(), "$.status")).isEqualTo("UP");
    var metrics = http.get("/actuator/prometheus").body();
    assertThat(metrics)
        .contains("headgate_breaker_state 1.0", "headgate_store_errors_total{kind=\"timeout\"}")
        .contains("headgate_store_seconds_count", "source=\"fallback\"");
    PROXY.pass();
    Eventually.holds(
        "the store recovers",
        HttpCalls.PATIENCE,
        () -> {
          http.get("/thread", "X-Client", "outage");
          return status().equals("UP");
        });
  }

  @Test
  void exposedEndpointOnlyReadsByDefault() throws Exception {
    assertThat(http.get("/actuator/headgate/client=reset").statusCode()).isEqualTo(200);
    assertThat(http.post("/actuator/headgate/client=reset", "{}").statusCode()).isEqualTo(405);
  }

  private String status() {
    return JsonPath.read(http.get("/actuator/health").body(), "$.components.headgate.status");
  }
}
