package io.headgate.server.gateway;

import static io.headgate.server.gateway.Visitor.header;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The configuration in examples/haproxy in a real HAProxy. */
class HAProxyTest {
  private final Limiter limiter = new Limiter();
  private final Application application = new Application();

  @AfterEach
  void stop() {
    application.close();
    limiter.close();
  }

  private Gateway haproxy(UnaryOperator<String> change) {
    return Gateway.haproxy(limiter.port(), application.port(), change);
  }

  private Gateway haproxy() {
    return haproxy(UnaryOperator.identity());
  }

  @Test
  void aVisitorOverTheLimitLearnsWhenToComeBackAndTheApplicationHearsNothing() {
    try (var haproxy = haproxy();
        var visitor = new Visitor(haproxy)) {
      for (int left = 2; left >= 0; left--) {
        var answer = visitor.get("/a?b=c");
        assertThat(answer.statusCode()).as(haproxy.log()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("served GET");
        assertThat(header(answer, "RateLimit"))
            .as(haproxy.log())
            .startsWith("\"per-ip\";r=" + left + ";t=");
        assertThat(limiter.left("127.0.0.1")).isEqualTo(left);
      }
      var answer = visitor.get("/a");
      assertThat(answer.statusCode()).as(haproxy.log()).isEqualTo(429);
      assertThat(Integer.parseInt(header(answer, "Retry-After"))).isBetween(1, 3_600);
      assertThat(header(answer, "RateLimit-Policy")).isEqualTo("\"per-ip\";q=3;w=3600");
      assertThat(header(answer, "RateLimit")).startsWith("\"per-ip\";r=0;t=");
      assertThat(header(answer, "Cache-Control")).isEqualTo("no-store");
      assertThat(header(answer, "Content-Type")).isEqualTo("application/problem+json");
      assertThat(application.requests).hasValue(3);
    }
  }

  @Test
  void requestThatWouldWaitLongerThanTheProxyIsDeniedAndChargesNothing() {
    try (var proxy = haproxy();
        var visitor = new Visitor(proxy)) {
      assertThat(visitor.get("/queue").statusCode()).as(proxy.log()).isEqualTo(200);
      for (int i = 0; i < 3; i++) {
        var answer = visitor.get("/queue");
        assertThat(answer.statusCode()).as(proxy.log()).isEqualTo(429);
        assertThat(Integer.parseInt(header(answer, "Retry-After"))).isBetween(3_500, 3_600);
      }
      assertThat(application.requests).hasValue(1);
      assertThat(limiter.left("127.0.0.1")).isEqualTo(2);
    }
  }

  @Test
  void aRequestWithABodyIsChargedOnceAndArrivesWhole() {
    try (var haproxy = haproxy();
        var visitor = new Visitor(haproxy)) {
      assertThat(visitor.post("/a", "x".repeat(100_000)).body()).isEqualTo("served POST");
      assertThat(limiter.left("127.0.0.1")).isEqualTo(2);
    }
  }

  @Test
  void whatAVisitorSaysAboutItselfIsNotPassedOn() {
    try (var haproxy = haproxy();
        var visitor = new Visitor(haproxy)) {
      visitor.get("/a", "X-Real-IP", "192.0.2.1", "X-Headgate-Key", "other");
      visitor.get("/a", "X-Forwarded-For", "192.0.2.1", "X-Headgate-Cost", "0");
      visitor.get("/a", "X-Original-URI", "/secret", "Forwarded", "for=192.0.2.1");
      assertThat(limiter.left("192.0.2.1")).isEqualTo(3);
      assertThat(limiter.left("127.0.0.1")).isEqualTo(0);
    }
  }

  @Test
  void aLongHostOrPathGetsNobodyAround() {
    try (var haproxy = haproxy();
        var visitor = new Visitor(haproxy)) {
      visitor.get("/" + "a".repeat(3_000));
      assertThat(limiter.left("127.0.0.1")).isEqualTo(2);
    }
  }

  @Test
  void anotherStatusOfARuleAndThe403OfTheApplicationArriveAsTheyAre() {
    try (var haproxy = haproxy();
        var visitor = new Visitor(haproxy)) {
      assertThat(visitor.get("/secret").statusCode()).isEqualTo(200);
      assertThat(visitor.get("/%73ecret?a").statusCode()).isEqualTo(503);
      assertThat(visitor.get("//x/../%73ecret?a").statusCode()).isEqualTo(400);
      assertThat(visitor.get("/forbidden").statusCode()).isEqualTo(403);
    }
  }

  @Test
  void withoutTheLimiterRequestsPassWhereThatIsWanted() {
    try (var haproxy = haproxy();
        var visitor = new Visitor(haproxy)) {
      limiter.stop();
      assertThat(visitor.get("/a").body()).as(haproxy.log()).isEqualTo("served GET");
      assertThat(visitor.get("/a").body()).isEqualTo("served GET");
    }
  }

  @Test
  void denyRuleIsForbiddenAndNotAnExhaustedQuota() {
    try (var haproxy = haproxy();
        var visitor = new Visitor(haproxy)) {
      var answer = visitor.get("/blocked");
      assertThat(answer.statusCode()).as(haproxy.log()).isEqualTo(403);
      assertThat(answer.body()).contains("\"status\":403", "Forbidden");
    }
  }

  @Test
  void afterAFailedCheckNoRequestWaitsUntilTheLimiterIsBack() throws IOException {
    var checks = new AtomicInteger();
    var probes = new AtomicInteger();
    var status = new AtomicInteger(500);
    var failing = HttpServer.create(new InetSocketAddress(FreePorts.loopback(), 0), 0);
    failing.createContext(
        "/v1/gate",
        exchange -> {
          boolean probe = "0".equals(exchange.getRequestHeaders().getFirst("X-Headgate-Cost"));
          (probe ? probes : checks).incrementAndGet();
          exchange.sendResponseHeaders(status.get(), -1);
          exchange.close();
        });
    failing.start();
    try (var haproxy =
            Gateway.haproxy(
                failing.getAddress().getPort(), application.port(), UnaryOperator.identity());
        var visitor = new Visitor(haproxy)) {
      for (int i = 0; i < 20; i++) {
        assertThat(visitor.get("/a").statusCode()).as(haproxy.log()).isEqualTo(200);
      }
      assertThat(checks).hasValue(1);
      status.set(204);
      Eventually.holds(
          "requests are checked again",
          Duration.ofSeconds(60),
          () -> {
            visitor.get("/a");
            return checks.get() > 1;
          });
      assertThat(probes).hasPositiveValue();
    } finally {
      failing.stop(0);
    }
  }

  @Test
  void withoutTheLimiterNobodyPassesWhereThatIsWanted() {
    try (var haproxy = haproxy(cfg -> cfg.replace("/v1/gate allow", "/v1/gate deny"));
        var visitor = new Visitor(haproxy)) {
      assertThat(visitor.get("/a").statusCode()).isEqualTo(200);
      limiter.stop();
      var answer = visitor.get("/a");
      assertThat(answer.statusCode()).as(haproxy.log()).isEqualTo(503);
      assertThat(header(answer, "Retry-After")).isEqualTo("1");
      assertThat(application.requests).hasValue(1);
    }
  }
}
