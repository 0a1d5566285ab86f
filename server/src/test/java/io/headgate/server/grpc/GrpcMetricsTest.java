package io.headgate.server.grpc;

import static io.headgate.server.grpc.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

class GrpcMetricsTest {
  private static Rule rule(String attribute, long rate) {
    return Rule.named("per-" + attribute)
        .match(attribute, "*")
        .limit(FixedWindow.of(Rate.perHour(rate)))
        .build();
  }

  @Test
  void eachDescriptorIsCountedByItsOwnDecision() throws Exception {
    try (var service = GrpcService.with(rule("user", 1), rule("path", 9))) {
      for (int i = 0; i < 2; i++) {
        service.envoy.ask("shop", descriptor("user", "7"), descriptor("path", "/"));
      }
      assertThat(metrics(service.port()))
          .contains(
              "{outcome=\"allowed\",rule=\"per-user\",source=\"store\"} 1.0\n",
              "{outcome=\"denied\",rule=\"per-user\",source=\"store\"} 1.0\n",
              "{outcome=\"allowed\",rule=\"per-path\",source=\"store\"} 2.0\n",
              "headgate_check_seconds_count 4\n");
    }
  }

  private static String metrics(int port) throws Exception {
    var uri = URI.create("http://127.0.0.1:%d/metrics".formatted(port));
    try (var client = HttpClient.newHttpClient()) {
      return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
    }
  }

  /** Returns the value of a series, which has a name and labels; fails if there is none. */
  static double series(int port, String series) {
    try {
      return metrics(port)
          .lines()
          .filter(line -> line.startsWith(series + " "))
          .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
          .findFirst()
          .orElseThrow();
    } catch (Exception e) {
      throw new IllegalStateException("no series " + series, e);
    }
  }
}
