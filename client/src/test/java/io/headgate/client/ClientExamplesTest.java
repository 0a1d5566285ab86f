package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Costs;
import io.headgate.Decision;
import io.headgate.RateLimiter;
import io.headgate.client.outbound.LimitedHttpClient;
import io.headgate.limit.Concurrency;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Runs the examples of the Javadoc. */
class ClientExamplesTest {
  private static final TestService SERVICE =
      TestService.with(
          Rule.named("per-user").match("user", "*").limit(TokenBucket.of(Rate.perHour(1))).build(),
          Rule.named("jobs").match("job", "*").limit(Concurrency.of(1)).build(),
          Rule.named("model")
              .match("team", "*")
              .limit(RuleLimit.of("tokens", TokenBucket.of(Rate.perHour(1_000))).withCost("tokens"))
              .build());

  @AfterAll
  static void stop() {
    SERVICE.close();
  }

  @Test
  void optionsAndCheck() {
    String url = SERVICE.url();
    // @start region="options"
    var options =
        ClientOptions.builder(url) // such as https://headgate.internal:8080
            .token("check-token")
            .deadline(Duration.ofMillis(500))
            .failureMode(FailureMode.DENY)
            .build();
    // @end
    assertThat(options.toString()).contains(url);
    // @start region="check"
    try (var client = HeadgateClient.connect(url)) {
      var decision = client.check(Subject.of("user", "42"));
      String answer =
          switch (decision) {
            case Decision.Allowed allowed -> "go ahead";
            case Decision.Delayed delayed -> "go ahead in " + delayed.delay();
            case Decision.Denied denied -> "retry after " + denied.retryAfter();
            case Decision.Impossible impossible -> "never";
          };
      System.out.println(answer);
      boolean login =
          client
              .within(Duration.ofSeconds(1))
              .onFailure(FailureMode.DENY)
              .check(Subject.of("path", "/login"))
              .isAllowed();
      // @end
      assertThat(answer).isEqualTo("go ahead");
      assertThat(login).isTrue();
    }
  }

  @Test
  void slot() {
    try (var client = HeadgateClient.connect(SERVICE.url()).within(Duration.ofSeconds(30))) {
      // @start region="slot"
      try (var slot = client.acquire(Subject.of("job", "report"))) {
        if (slot.isAllowed()) System.out.println("one report at a time");
      }
      // @end
      assertThat(client.acquire(Subject.of("job", "report")).isAllowed()).isTrue();
    }
  }

  @Test
  void reservation() {
    try (var client = HeadgateClient.connect(SERVICE.url()).within(Duration.ofSeconds(30))) {
      var team = Subject.of("team", "a");
      long used = 0;
      // @start region="reservation"
      try (var reservation = client.reserve(team, Costs.of("tokens", 600), Duration.ofMinutes(1))) {
        if (reservation.isAllowed()) {
          boolean goOn = true;
          for (int part = 0; part < 5 && goOn; part++) { // while the answer is streamed
            used += 70;
            goOn = reservation.update(Costs.of("tokens", used)).mayContinue();
          }
          reservation.settle(Costs.of("tokens", used)); // the rest returns at once
        }
      }
      // @end
      assertThat(SERVICE.limiter().peek(team).limits().getFirst().remaining()).isEqualTo(650);
    }
  }

  @Test
  void outbound() throws Exception {
    try (var service = ScriptedService.replying(200, "");
        var limiter = RateLimiter.inMemory();
        var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(URI.create(service.url())).build();
      // @start region="outbound"
      var client = LimitedHttpClient.of(http, Duration.ofSeconds(10));
      var response = client.send(request, BodyHandlers.ofString());
      // @end
      assertThat(response.statusCode()).isEqualTo(200);
      // @start region="budget"
      var shared = client.sharing(sent -> limiter.checkAsync(Subject.of("api", "partner")));
      // @end
      assertThat(shared.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }
  }
}
