package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What browsers are told. */
class BrowsersTest {
  private static final Rule RULE = Rule.named("all").limit(FixedWindow.of(Rate.perHour(1))).build();

  @ParameterizedTest
  @CsvSource({"GET,/", "GET,/health/ready", "OPTIONS,/v1/check", "GET,/v1/nothing", "GET,/v1/gate"})
  void noOtherSitesPageMayReadAnAnswer(String method, String path) {
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

  @Test
  void everyAnswerIsWhatItsTypeSays() {
    try (var service = RunningService.with(RULE)) {
      for (var path : new String[] {"/", "/openapi.yaml", "/health/live", "/nothing"}) {
        assertThat(service.request("GET", path).header("X-Content-Type-Options"))
            .isEqualTo("nosniff");
      }
    }
  }

  @Test
  void aDenialIsNotKeptByCaches() {
    try (var service = RunningService.with(RULE)) {
      service.post("/v1/check", "{\"key\":\"k\"}");
      for (var path :
          new String[] {"/v1/check", "/v1/peek", "/v1/leases", "/api/ratelimit/check"}) {
        var denied = service.post(path, "{\"key\":\"k\"}");
        assertThat(denied.status()).isEqualTo(429);
        assertThat(denied.header("Cache-Control")).as(path).isEqualTo("no-store");
      }
    }
  }

  @Test
  void aPageRunsNothingButItsOwnAndStandsInNoFrame() throws Exception {
    var vertx = Vertx.vertx();
    try {
      HttpServer server =
          vertx
              .createHttpServer()
              .requestHandler(request -> {
                PageHeaders.put(request.response(), "text/HTML; charset=utf-8");
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
