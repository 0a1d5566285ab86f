package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that offers an upgrade to HTTP/2 is served over HTTP/1.1. */
class H2cUpgradeTest {
  private static final Rule RULE =
      Rule.named("all").limit(FixedWindow.of(Rate.perHour(100))).build();
  private static final String CHECK = "{\"key\":\"k\"}";

  @Test
  void jdkHttpClientOffersUpgradeAndIsServed() throws Exception {
    try (var service = RunningService.with(RULE);
        var client = HttpClient.newHttpClient()) {
      assertThat(client.version()).isEqualTo(HttpClient.Version.HTTP_2);
      for (int i = 1; i <= 3; i++) {
        var request =
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:%d/v1/check".formatted(service.port())))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(CHECK))
                .build();
        var answer = client.send(request, BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
        assertThat(answer.body()).contains("\"remaining\":%d,".formatted(100 - i));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Connection: Upgrade",
        "Connection: Upgrade, HTTP2-Settings",
        "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: !",
        "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__"
      })
  void upgradeIsIgnoredAndItsConnectionTimesOut(String offer) {
    var idle = Duration.ofMillis(400);
    try (var service = RunningService.withIdleTimeout(idle, RULE);
        var connection = service.connect()) {
      assertThat(connection.post("/v1/check", CHECK, "Upgrade: h2c", offer).status())
          .isEqualTo(200);
      assertThat(connection.post("/v1/check", CHECK).body()).contains("\"remaining\":98,");
      assertThat(connection.isClosedByServer()).isTrue();
    }
  }

  @Test
  void requestSentByteByByteIsServed() {
    try (var service = RunningService.with(RULE);
        var connection = service.connect()) {
      var request = RawConnection.bytes("PUT / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n\r\n");
      for (byte each : request) connection.send(new byte[] {each});
      assertThat(connection.read().status()).isEqualTo(405);
    }
  }
}
