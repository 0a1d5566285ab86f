package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.testkit.Eventually;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses that no Headgate gives: the failure mode decides, within bounded memory and time. */
class UnusualResponsesTest {
  private static final Subject CALLER = Subject.of("user", "42");
  private static final String DENIED =
      """
      {"allowed":false,"rule":"r","limit":1,"remaining":0,"retryAfterMs":600,"resetAfterMs":1,"delayMs":0,\
      "source":"store","violated":["r"],"limits":[]}\
      """;

  private static HeadgateClient failingClosed(ScriptedService service, Duration deadline) {
    return HeadgateClient.connect(
        ClientOptions.builder(service.url())
            .token("secret-token")
            .deadline(deadline)
            .failureMode(FailureMode.DENY)
            .build());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "<html>It works!</html>",
        "null",
        "[]",
        "{}",
        "{\"allowed\":",
        "{\"allowed\":\"true\"}",
        "{\"allowed\":true}",
        "{\"allowed\":true,\"source\":\"store\"} more",
        "{\"allowed\":true,\"source\":\"oracle\"}",
        "{\"allowed\":true,\"source\":\"store\",\"remaining\":-1}",
        "{\"allowed\":true,\"source\":\"store\",\"remaining\":1e400}",
        "{\"allowed\":true,\"source\":\"store\",\"remaining\":99999999999999999999}",
        "{\"allowed\":true,\"source\":\"store\",\"limits\":[1]}",
        "{\"allowed\":true,\"source\":\"store\",\"id\":7}"
      })
  void unreadableBodyIsNoDecision(String body) {
    try (var service = ScriptedService.replying(200, body);
        var client = failingClosed(service, Duration.ofSeconds(30))) {
      var result = client.checkForResult(CALLER);
      assertThat(result.isAllowed()).isFalse();
      assertThat(result.failure()).get().asString().contains("check the URL");
      assertThat(client.peek(CALLER).isAllowed()).isFalse();
    }
  }

  @Test
  void deeplyNestedBodyIsNoDecision() {
    try (var service = ScriptedService.replying(200, "{\"x\":" + "[".repeat(100_000));
        var client = failingClosed(service, Duration.ofSeconds(30))) {
      assertThat(client.checkForResult(CALLER).failure()).isPresent();
    }
  }

  @Test
  void endlessBodyIsCutOff() {
    try (var service =
            new ScriptedService(exchange -> {
              exchange.sendResponseHeaders(200, 0);
              var chunk = new byte[1 << 16];
              while (true) exchange.getResponseBody().write(chunk); // until it is cut off
            });
        var client = failingClosed(service, Duration.ofSeconds(30))) {
      assertThat(client.checkForResult(CALLER).failure()).get().asString().contains("longer than");
    }
  }

  @Test
  void bodyThatNeverEndsIsGivenUpAtTheDeadlineAndFreesItsPlace() {
    try (var service =
            new ScriptedService(exchange -> {
              exchange.sendResponseHeaders(200, 100);
              exchange.getResponseBody().write('{');
              exchange.getResponseBody().flush();
            });
        var client =
            HeadgateClient.connect(
                ClientOptions.builder(service.url())
                    .deadline(Duration.ofMillis(50))
                    .maxInFlight(1)
                    .failureMode(FailureMode.DENY)
                    .build())) {
      Eventually.holds(
          "another request is sent",
          Duration.ofSeconds(30),
          () -> !client.check(CALLER).isAllowed() && service.requests().size() > 2);
    }
  }

  @Test
  void redirectIsNotFollowedSoThatTheTokenStays() {
    try (var elsewhere = ScriptedService.replying(200, DENIED);
        var service =
            new ScriptedService(exchange -> {
              exchange.getResponseHeaders().set("Location", elsewhere.url() + "/v1/check");
              exchange.sendResponseHeaders(307, -1);
              exchange.close();
            });
        var client = failingClosed(service, Duration.ofSeconds(30))) {
      assertThat(client.checkForResult(CALLER).failure()).isPresent();
      assertThat(elsewhere.requests()).isEmpty();
    }
  }

  @Test
  void batchWithTooFewDecisionsIsNoDecision() throws Exception {
    var requests = List.of(Request.of(CALLER), Request.of(Subject.of("user", "43")));
    var one = "{\"decisions\":[%s]}".formatted(DENIED);
    assertThatThrownBy(() -> ReplyJson.batch(one.getBytes(StandardCharsets.UTF_8), requests))
        .hasMessage("1 decisions for 2 checks");
    var three = "{\"decisions\":[%s,%s,%s]}".formatted(DENIED, DENIED, DENIED);
    assertThatThrownBy(() -> ReplyJson.batch(three.getBytes(StandardCharsets.UTF_8), requests))
        .hasMessage("too many decisions");
    var two = "{\"new\":{\"a\":[1]},\"decisions\":[%s,%s]}".formatted(DENIED, DENIED);
    assertThat(ReplyJson.batch(two.getBytes(StandardCharsets.UTF_8), requests)).hasSize(2);
  }
}
