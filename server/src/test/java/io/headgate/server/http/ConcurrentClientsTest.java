package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class ConcurrentClientsTest {
  private static final int LIMIT = 100;

  @Test
  void concurrentClientsAreAllowedExactlyTheLimit() throws Exception {
    var rule =
        Rule.named("all")
            .match("key", "*")
            .limit(RuleLimit.of("burst", TokenBucket.of(Rate.perSecond(1)).withBurst(LIMIT)))
            .limit(RuleLimit.of("hour", FixedWindow.of(Rate.perHour(LIMIT + 10))))
            .limit(RuleLimit.of("log", RollingWindow.of(Rate.perHour(LIMIT + 20))))
            .build();
    try (var service = RunningService.with(rule);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var allowedByClient = new ArrayList<CompletableFuture<Integer>>();
      for (int client = 0; client < 4; client++) {
        allowedByClient.add(
            CompletableFuture.supplyAsync(() -> allowed(service, 2 * LIMIT), threads));
      }
      int allowed = 0;
      for (var answer : allowedByClient) allowed += answer.get();
      assertThat(allowed).isEqualTo(LIMIT);
    }
  }

  private static int allowed(RunningService service, int times) {
    int allowed = 0;
    try (var connection = service.connect()) {
      for (int i = 0; i < times; i++) {
        if (connection.post("/v1/check", "{\"key\":\"k\"}").status() == 200) allowed++;
      }
    }
    return allowed;
  }

  @Test
  void jdkHttpClientIsServed() throws Exception {
    var rule = Rule.named("all").limit(TokenBucket.of(Rate.perSecond(1)).withBurst(3)).build();
    try (var service = RunningService.with(rule);
        var client = HttpClient.newHttpClient()) { // which offers to speak HTTP/2
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.port() + "/v1/check"))
              .POST(BodyPublishers.ofString("{\"key\":\"k\"}"))
              .build();
      var statuses = new ArrayList<Integer>();
      for (int i = 0; i < 4; i++) {
        statuses.add(client.send(request, BodyHandlers.ofString()).statusCode());
      }
      assertThat(statuses).isEqualTo(List.of(200, 200, 200, 429));
    }
  }
}
