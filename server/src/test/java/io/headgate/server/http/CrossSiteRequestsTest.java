package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.http.transport.SecurityHeaders;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests from pages of other sites, and the response headers for browsers. */
class CrossSiteRequestsTest {
  private static final Rule RULE = Rule.named("all").limit(FixedWindow.of(Rate.perHour(1))).build();

  @ParameterizedTest
  @CsvSource({"GET,/", "GET,/health/ready", "OPTIONS,/v1/check", "GET,/v1/nothing", "GET,/v1/gate"})
  void noCorsHeadersAreSent(String method, String path) {
    try (var service = RunningService.with(RULE)) {
      var answer =
          service.request(
              method,
              path,
              "Origin: https://evil.example",
              "Access-Control-Request-Method: POST",
              "Access-Control-Request-Headers: content-type");
      assertThat(answer.headers().keySet()).noneMatch(name -> name.startsWith("access-control-"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POST,/v1/check,https://evil.example",
    "POST,/v1/check,null",
    "POST,/v1/reset,http://127.0.0.1:1",
    "POST,/v1/revisions/1/restore,https://evil.example"
  })
  void otherOriginIsRejectedWithoutTokens(String method, String path, String from) {
    try (var service = RunningService.with(RULE);
        var page = new Admin(service.port())) {
      var answer = page.send(method, path, "{\"key\":\"k\",\"rule\":\"all\"}", "Origin: " + from);
      assertThat(answer.status()).isEqualTo(403);
      assertThat(answer.body()).contains("requests from another site");
      assertThat(service.post("/v1/check", "{\"key\":\"k\"}").status()).isEqualTo(200);
    }
  }

  /** Requests for images, forms and links of another page have no origin, or an opaque one. */
  @ParameterizedTest
  @CsvSource({
    "GET,/v1/gate,cross-site,403",
    "GET,/v1/gate,same-site,403",
    "POST,/v1/check,cross-site,403",
    "POST,/api/ratelimit/check,same-site,403",
    "DELETE,/v1/slots/x,cross-site,403",
    "GET,/v1/rules,cross-site,403",
    "GET,/v1/gate,none,204",
    "GET,/v1/gate,same-origin,204",
    "GET,/health/live,cross-site,200"
  })
  void crossSiteFetchIsRejectedAndChargesNothing(
      String method, String path, String site, int status) {
    try (var service = RunningService.with(RULE);
        var page = new Admin(service.port())) {
      String body = method.equals("POST") ? "{\"key\":\"k\"}" : "";
      var answer = page.send(method, path, body, "Sec-Fetch-Site: " + site, "X-Headgate-Key: k");
      assertThat(answer.status()).isEqualTo(status);
      if (status != 403) return;
      assertThat(answer.body()).contains("requests from another site", "Sec-Fetch-Site");
      assertThat(service.post("/v1/check", "{\"key\":\"k\"}").status()).isEqualTo(200);
    }
  }

  @Test
  void ownOriginIsAccepted() {
    try (var service = RunningService.with(RULE);
        var page = new Admin(service.port())) {
      String own = "Origin: http://127.0.0.1:" + service.port();
      String host = "Host: 127.0.0.1:" + service.port();
      assertThat(page.get("/v1/rules", own, host).status()).isEqualTo(200);
    }
  }

  /** DNS rebinding: the host name of another site may resolve to this address. */
  @Test
  void administrationUnderAnotherHostIsRejectedWithoutTokens() {
    try (var service = RunningService.with(RULE);
        var page = new Admin(service.port())) {
      assertThat(page.get("/v1/rules", "Host: evil.example:8080").status()).isEqualTo(403);
      assertThat(page.get("/v1/rules", "Host: localhost:8080").status()).isEqualTo(200);
      assertThat(page.get("/v1/rules", "Host: [::1]:8080").status()).isEqualTo(200);
      assertThat(page.get("/v1/gate", "Host: headgate").status()).isEqualTo(204);
    }
    try (var service = RunningService.withTokens("adm1n", "", RULE);
        var page = new Admin(service.port())) {
      String token = "Authorization: Bearer adm1n";
      assertThat(page.get("/v1/rules", "Host: headgate.example", token).status()).isEqualTo(200);
    }
  }

  /** A page of a site whose name resolves to this address is of the same origin. */
  @ParameterizedTest
  @CsvSource({
    "POST,/v1/check",
    "POST,/v1/peek",
    "GET,/v1/gate",
    "POST,/v1/usage",
    "POST,/v1/reservations",
    "POST,/v1/leases",
    "POST,/v1/slots",
    "POST,/api/ratelimit/check"
  })
  void callsUnderTheHostOfASiteAreRejectedWithoutTokens(String method, String path) {
    try (var service = RunningService.with(RULE);
        var page = new Admin(service.port())) {
      String body = method.equals("POST") ? "{\"key\":\"k\"}" : "";
      var answer =
          page.send(
              method, path, body, "Host: evil.example:8080", "Origin: http://evil.example:8080");
      assertThat(answer.status()).isEqualTo(403);
      assertThat(answer.body()).contains("got 'evil.example'", "set a check token");
      assertThat(service.post("/v1/check", "{\"key\":\"k\"}").status()).isEqualTo(200);
    }
  }

  @Test
  void everyResponseForbidsContentSniffing() {
    try (var service = RunningService.with(RULE)) {
      for (var path : new String[] {"/", "/openapi.yaml", "/health/live", "/nothing"}) {
        assertThat(service.request("GET", path).header("X-Content-Type-Options"))
            .isEqualTo("nosniff");
      }
    }
  }

  @Test
  void denialIsNotCacheable() {
    try (var service = RunningService.with(RULE)) {
      service.post("/v1/check", "{\"key\":\"k\"}");
      for (var path : new String[] {"/v1/check", "/v1/peek", "/v1/slots", "/api/ratelimit/check"}) {
        var denied = service.post(path, "{\"key\":\"k\"}");
        assertThat(denied.status()).isEqualTo(429);
        assertThat(denied.header("Cache-Control")).as(path).isEqualTo("no-store");
      }
    }
  }

  @Test
  void pageHasAStrictContentSecurityPolicy() throws Exception {
    var vertx = Vertx.vertx();
    try {
      HttpServer server =
          vertx
              .createHttpServer()
              .requestHandler(request -> {
                SecurityHeaders.put(request.response(), "text/HTML; charset=utf-8");
                request.response().end();
              })
              .listen(0, "127.0.0.1")
              .toCompletionStage()
              .toCompletableFuture()
              .get(20, TimeUnit.SECONDS);
      try (var connection = new RawConnection(server.actualPort())) {
        var answer = connection.request("GET", "/");
        assertThat(answer.header("Content-Security-Policy"))
            .contains("default-src 'self'", "frame-ancestors 'none'", "object-src 'none'")
            .doesNotContain("unsafe");
        assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
        assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
      }
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
  }
}
