package io.headgate.server.http.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.Shed;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Tuning;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.server.http.RunningService;
import io.headgate.testkit.Eventually;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests how changes of rules that follow the load are reported, with one service for all tests. */
class LoadEventsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final RunningService SERVICE =
      RunningService.with(
          tuned("search", "search", Mode.ENFORCE),
          tuned("search-shadow", "search", Mode.SHADOW),
          Rule.named("overload")
              .match("backend", "checkout")
              .limit(new Shed(ShedPolicy.of(SignalKind.UTILIZATION, 0.8)))
              .build());

  private static Rule tuned(String id, String backend, Mode mode) {
    var tuning =
        new Tuning(
            Rate.of(100, SECOND),
            Rate.of(5_000, SECOND),
            SignalKind.LATENCY,
            250,
            Optional.empty());
    return Rule.named(id)
        .match("backend", backend)
        .limit(RuleLimit.of("limit", TokenBucket.of(Rate.of(1_000, SECOND))).withTuning(tuning))
        .mode(mode)
        .build();
  }

  @BeforeAll
  static void overload() {
    for (int second = 0; second < 20; second++) {
      report("search", "\"latencyMs\":500");
      report("checkout", "\"utilization\":1");
      SERVICE.limiter.signals().sync().join();
      SERVICE.clock.addAndGet(1_000_000);
    }
  }

  private static void report(String backend, String figure) {
    var answer =
        SERVICE.post(
            "/v1/signals", "{\"subject\":{\"backend\":\"%s\"},%s}".formatted(backend, figure));
    assertThat(answer.status()).isEqualTo(204);
  }

  @AfterAll
  static void stop() {
    SERVICE.close();
  }

  @Test
  void changeOfARateIsAnEventWithItsReason() {
    assertThat(SERVICE.request("GET", "/v1/stats").body())
        .containsPattern(
            "\"rule\":\"search\",\"backend\":\"[^\"]*\",\"change\":\"rate\",\"before\":1000,"
                + "\"after\":[0-9.]+,\"reason\":\"latency 500.0 ms is above its target of 250.0 ms\","
                + "\"shadow\":false");
  }

  @Test
  void eventsAreTheNewestFirstAndContinueFromTheLastRate() {
    var body = SERVICE.request("GET", "/v1/stats").body();
    var rates =
        Pattern.compile(
                "\"rule\":\"search\",\"backend\":\"[^\"]*\",\"change\":\"rate\","
                    + "\"before\":([0-9.]+),\"after\":([0-9.]+)")
            .matcher(body)
            .results()
            .toList();
    assertThat(rates).hasSizeGreaterThan(2);
    for (int i = 1; i < rates.size(); i++) {
      assertThat(rates.get(i - 1).group(1)).isEqualTo(rates.get(i).group(2));
    }
  }

  @Test
  void ruleInShadowModeShowsWhatItWouldDo() {
    assertThat(SERVICE.request("GET", "/v1/stats").body())
        .containsPattern("\"rule\":\"search-shadow\",.*\"change\":\"rate\",.*\"shadow\":true")
        .containsPattern("\"tuning\":\\[.*\"rule\":\"search-shadow\"");
  }

  @Test
  void beginOfSheddingIsAnEvent() {
    assertThat(SERVICE.request("GET", "/v1/stats").body())
        .containsPattern(
            "\"rule\":\"overload\",\"backend\":\"[^\"]*\",\"change\":\"shedding\",\"before\":0,\"after\":0\\.[0-9]+,"
                + "\"reason\":\"utilization 1.000 is above its target of 0.800\"");
  }

  @Test
  void statisticsOfTheRuleHaveItsRateAndItsSignalOverTime() {
    Eventually.holds(
        "a point is sampled",
        Duration.ofSeconds(20),
        () ->
            SERVICE
                .request("GET", "/v1/stats/rules/search")
                .body()
                .matches(
                    ".*\"load\":\\[\\{\"backend\":\"[^\"]*\",\"at\":\\[[0-9]+.*\\],"
                        + "\"value\":\\[[0-9.]+.*\\],\"signal\":\\[500.*\\]\\}\\].*"));
  }

  @Test
  void streamHasTheEvents() throws Exception {
    try (var client = HttpClient.newHttpClient()) {
      var uri = URI.create("http://127.0.0.1:%d/v1/stream".formatted(SERVICE.port()));
      var request = HttpRequest.newBuilder(uri).build();
      try (var lines = client.send(request, BodyHandlers.ofLines()).body()) {
        var event = lines.filter(line -> line.startsWith("data: ")).findFirst().orElseThrow();
        assertThat(event).contains("\"loadEvents\":[{\"at\":");
      }
      client.shutdownNow();
    }
  }
}
