package io.headgate.spring;

import static io.headgate.spring.HttpCalls.header;
import static io.headgate.spring.app.ObservedChecks.assertObserved;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.headgate.RateLimiter;
import io.headgate.rule.Subject;
import io.headgate.spring.app.MvcApplication;
import io.headgate.spring.app.ObservedChecks;
import io.headgate.testkit.Eventually;
import io.micrometer.observation.tck.TestObservationRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

/** An application with Spring MVC on a real port. */
@SpringBootTest(
    classes = MvcApplication.class,
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {
      "server.address=127.0.0.1",
      "spring.main.banner-mode=off",
      "spring.main.web-application-type=servlet",
      "spring.cloud.gateway.server.webflux.enabled=false",
      "headgate.store=memory",
      "management.health.redis.enabled=false",
      "headgate.rules-file=classpath:mvc-rules.yaml",
      "headgate.web.route=true",
      "headgate.web.headers.[X-Client]=client",
      "headgate.web.trusted-proxies=127.0.0.1",
      "management.endpoints.web.exposure.include=*",
      "management.endpoint.headgate.access=unrestricted",
      "management.endpoint.health.show-details=always"
    })
@Import(ObservedChecks.class)
class MvcApplicationTest {
  @LocalServerPort private int port;
  @Autowired private RateLimiter limiter;
  @Autowired private TestObservationRegistry observations;
  @Autowired private MvcApplication.Slow slow;

  private HttpCalls http;

  @BeforeEach
  void connect() {
    http = new HttpCalls(port);
  }

  @AfterEach
  void disconnect() {
    http.close();
  }

  @Test
  void requestBeyondTheLimitIsDenied() {
    for (int i = 0; i < 2; i++) {
      var allowed = http.get("/hello", "X-Client", "two");
      assertThat(allowed.statusCode()).isEqualTo(200);
      assertThat(header(allowed, "RateLimit-Policy")).isEqualTo("\"per-client\";q=2;w=3600");
    }
    var denied = http.get("/hello", "X-Client", "two");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(header(denied, "Retry-After")).isEqualTo("1800");
    assertThat(header(denied, "Content-Type")).startsWith("application/problem+json");
    assertThat(denied.body()).contains("quota-exceeded", "\"violated-policies\":[\"per-client\"]");
  }

  @Test
  void clientIsFoundBehindTheProxy() {
    var line = "198.51.100.1, 203.0.113.9";
    assertThat(http.get("/ip", "X-Forwarded-For", line).statusCode()).isEqualTo(404);
    assertThat(http.get("/ip", "X-Forwarded-For", "203.0.113.9").statusCode()).isEqualTo(429);
    assertThat(http.get("/ip", "X-Forwarded-For", "203.0.113.8").statusCode()).isEqualTo(404);
  }

  @Test
  void routeIsTheMostSpecificPattern() {
    assertThat(http.get("/users/1").statusCode()).isEqualTo(200);
    assertThat(http.get("/users/2").statusCode()).isEqualTo(429);
    assertThat(http.get("/users/me").statusCode()).isEqualTo(200);
  }

  @Test
  void deniedMethodCallIsTheResponseOfADeniedRequest() {
    assertThat(http.get("/report?user=ann").body()).isEqualTo("report of ann");
    var denied = http.get("/report?user=ann");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(header(denied, "Retry-After")).isEqualTo("3600");
    assertThat(header(denied, "RateLimit")).isEqualTo("\"reports\";r=0;t=3600");
    assertThat(header(denied, "Content-Type")).startsWith("application/problem+json");
    assertThat(http.get("/report?user=bob").statusCode()).isEqualTo(200);
  }

  @Test
  void deniedAsynchronousMethodCallIsTheResponseOfADeniedRequest() {
    assertThat(http.get("/report-later?user=ann").body()).isEqualTo("report of ann");
    assertThat(http.get("/report-later?user=ann").statusCode()).isEqualTo(429);
  }

  @Test
  void exceptionHandlerOfTheApplicationTakesPrecedence() {
    assertThat(http.get("/handled?user=eve").statusCode()).isEqualTo(200);
    var denied = http.get("/handled?user=eve");
    assertThat(denied.statusCode()).isEqualTo(409);
    assertThat(denied.body()).isEqualTo("retry after 0 h");
  }

  @Test
  void slotIsHeldUntilTheDeferredResultIsSet() {
    var subject = Subject.of(Map.of("path", "/slow", "client", "slow"));
    var first = http.start("/slow", "X-Client", "slow");
    slow.awaitHeld();
    assertThat(limiter.peek(subject).isAllowed()).isFalse();
    assertThat(http.get("/slow", "X-Client", "slow").statusCode()).isEqualTo(429);
    slow.complete();
    assertThat(first.join().body()).isEqualTo("slow");
    Eventually.holds(
        "the slot is released", HttpCalls.PATIENCE, () -> limiter.peek(subject).isAllowed());
  }

  @Test
  void endpointShowsRulesAndStateAndResetsASubject() throws IOException, InterruptedException {
    List<String> ids = JsonPath.read(http.get("/actuator/headgate").body(), "$.rules[*].id");
    assertThat(ids).contains("per-client", "reports");
    http.get("/hello", "X-Client", "state");
    var subject = "client=state,path=/hello";
    assertThat(remaining(subject)).containsExactly(1);
    var reset = http.post("/actuator/headgate/" + subject, "{\"rule\":\"per-client\"}");
    assertThat(reset.body()).isEqualTo("{\"rules\":[\"per-client\"]}");
    assertThat(remaining(subject)).containsExactly(2);
    http.get("/hello", "X-Client", "state");
    assertThat(http.post("/actuator/headgate/" + subject, "{}").statusCode()).isEqualTo(200);
    assertThat(remaining(subject)).containsExactly(2);
    assertThat(http.post("/actuator/headgate/state", "{\"rule\":\"nope\"}").statusCode())
        .isEqualTo(400);
    assertThat(http.get("/actuator/headgate/a=,b").statusCode()).isEqualTo(400);
  }

  private List<Integer> remaining(String subject) {
    return JsonPath.read(
        http.get("/actuator/headgate/" + subject).body(),
        "$.limits[?(@.rule == 'per-client')].remaining");
  }

  @Test
  void healthNamesTheStore() {
    var body = http.get("/actuator/health").body();
    assertThat(JsonPath.<String>read(body, "$.components.headgate.status")).isEqualTo("UP");
    assertThat(JsonPath.<String>read(body, "$.components.headgate.details.store"))
        .isEqualTo("memory");
  }

  @Test
  void checksOfRequestsAreObservedWithinThem() {
    for (int i = 0; i < 3; i++) http.get("/hello", "X-Client", "observed");
    assertObserved(observations, "client", "observed", "per-client", "allowed");
    assertObserved(observations, "client", "observed", "per-client", "denied");
  }

  @Test
  void checksOfMethodCallsAreObservedWithinTheirRequest() {
    for (int i = 0; i < 2; i++) http.get("/report?user=observed");
    assertObserved(observations, "key", "observed", "reports", "allowed");
    assertObserved(observations, "key", "observed", "reports", "denied");
    http.get("/report-later?user=observed");
    assertObserved(observations, "key", "async-observed", "reports", "allowed");
  }

  @Test
  void metricsHaveTheNamesOfTheService() {
    http.get("/hello", "X-Client", "metrics");
    var metrics = http.get("/actuator/prometheus").body();
    assertThat(metrics)
        .contains(
            "headgate_decisions_total{outcome=\"allowed\",rule=\"per-client\",source=\"store\"}",
            "headgate_check_seconds_bucket{le=\"5.0E-6\"}",
            "headgate_check_seconds_count",
            "headgate_breaker_state 0.0",
            "headgate_rules 5.0",
            "headgate_rules_revision 1.0",
            "headgate_tracked_keys")
        .doesNotContain("metrics\"");
    // Observations of the same name add no series.
    assertThat(metrics.lines().filter(line -> line.startsWith("headgate_check_seconds_count")))
        .hasSize(1)
        .allMatch(line -> line.startsWith("headgate_check_seconds_count "));
    assertThat(metrics).doesNotContain("headgate_check_active", "headgate_rule=");
  }
}
