package io.headgate.server.http.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.server.http.RunningService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceInfoHandlersTest {
  private static final RunningService SERVICE =
      RunningService.with(Rule.named("all").limit(TokenBucket.of(Rate.perSecond(1))).build());

  @AfterAll
  static void stop() {
    SERVICE.close();
  }

  @Test
  void rootListsTheEndpoints() {
    var answer = SERVICE.request("GET", "/");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.mediaType()).isEqualTo("application/json");
    assertThat(answer.body())
        .startsWith("{\"service\":\"Headgate\",")
        .contains("\"POST /v1/check\"")
        .contains("\"GET /health/ready\"");
  }

  @Test
  void runningServiceIsLiveAndReady() {
    assertThat(SERVICE.request("GET", "/health/live").body()).isEqualTo("{\"status\":\"up\"}");
    var ready = SERVICE.request("GET", "/health/ready");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(ready.body())
        .isEqualTo(
            "{\"status\":\"ready\",\"rules\":1,\"store\":{\"kind\":\"memory\",\"unavailable\":false},"
                + "\"repository\":{\"source\":\"memory\",\"revision\":1,\"readOnly\":false,\"unavailable\":false}}");
  }

  @Test
  void sourceOfTheRulesRequiresReadAccess() {
    try (var service = RunningService.withTokens("adm1n", "")) {
      assertThat(service.request("GET", "/health/ready").body())
          .contains("\"repository\":{\"revision\":1,\"readOnly\":false,\"unavailable\":false}");
      assertThat(service.request("GET", "/health/ready", "Authorization: Bearer adm1n").body())
          .contains("\"source\":\"memory\"");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/health/live", "/health/ready", "/?a=b", "/health/live?x"})
  void headIsAnsweredLikeGetWithoutBody(String path) {
    try (var connection = SERVICE.connect()) {
      var get = connection.request("GET", path);
      var head = connection.request("HEAD", path);
      assertThat(head.status()).isEqualTo(get.status());
      assertThat(head.headers()).isEqualTo(get.headers());
      // With a body in the response to HEAD, this response could not be read.
      assertThat(connection.request("GET", path)).isEqualTo(get);
    }
  }

  @Test
  void optionsReportTheAllowedMethods() {
    assertThat(SERVICE.request("OPTIONS", "/v1/check").header("Allow")).isEqualTo("OPTIONS, POST");
    assertThat(SERVICE.request("OPTIONS", "/").header("Allow")).isEqualTo("GET, HEAD, OPTIONS");
    var slot = SERVICE.request("OPTIONS", "/v1/slots/abc");
    assertThat(slot.status()).isEqualTo(204);
    assertThat(slot.header("Allow")).isEqualTo("DELETE, OPTIONS, PUT");
  }
}
