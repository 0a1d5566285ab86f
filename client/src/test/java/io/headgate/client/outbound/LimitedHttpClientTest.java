package io.headgate.client.outbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.RateLimiter;
import io.headgate.client.HeadgateClient;
import io.headgate.client.ScriptedService;
import io.headgate.client.TestService;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.testkit.ConcurrentRunner;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class LimitedHttpClientTest {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final LimitedHttpClient FAILING = LimitedHttpClient.of(HTTP, Duration.ZERO);

  @AfterAll
  static void stop() {
    HTTP.close();
  }

  private static int get(LimitedHttpClient client, String url)
      throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(url)).build();
    return client.send(request, BodyHandlers.discarding()).statusCode();
  }

  /** Answers the first request with a status and headers, and all others with 200. */
  private static ScriptedService first(int status, String... headers) {
    var count = new AtomicInteger();
    return new ScriptedService(exchange -> {
      boolean first = count.getAndIncrement() == 0;
      for (int i = 0; first && i < headers.length; i += 2) {
        exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
      }
      exchange.sendResponseHeaders(first ? status : 200, -1);
      exchange.close();
    });
  }

  @Test
  void requestBeyondTheRemainingQuotaIsNotSent() throws Exception {
    try (var service =
        first(200, "RateLimit-Policy", "\"day\";q=3;w=86400", "RateLimit", "\"day\";r=2;t=3600")) {
      for (int i = 0; i < 3; i++) assertThat(get(FAILING, service.url())).isEqualTo(200);
      assertThatThrownBy(() -> get(FAILING, service.url()))
          .isInstanceOfSatisfying(
              QuotaExhaustedException.class,
              e ->
                  assertThat(e.retryAfter())
                      .isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60)));
      assertThat(service.requests()).hasSize(3);
    }
  }

  @Test
  void retryAfterStopsFollowingRequests() throws Exception {
    var date = ZonedDateTime.now(ZoneOffset.UTC).plusHours(1);
    for (var retry : new String[] {"3600", date.format(DateTimeFormatter.RFC_1123_DATE_TIME)}) {
      try (var service = first(429, "Retry-After", retry)) {
        assertThat(get(FAILING, service.url())).isEqualTo(429);
        assertThatThrownBy(() -> get(FAILING, service.url()))
            .isInstanceOf(QuotaExhaustedException.class)
            .hasMessageContaining(service.url());
        assertThat(service.requests()).hasSize(1);
      }
    }
  }

  @Test
  void quotasOfServicesAreSeparate() throws Exception {
    try (var busy = first(503, "Retry-After", "3600");
        var idle = first(200)) {
      get(FAILING, busy.url());
      assertThat(get(FAILING, idle.url())).isEqualTo(200);
    }
  }

  @Test
  void invalidFieldsAreIgnored() throws Exception {
    try (var service = first(429, "RateLimit", "\"a\";r=0;t=", "Retry-After", "soon")) {
      get(FAILING, service.url());
      assertThat(get(FAILING, service.url())).isEqualTo(200);
    }
  }

  /** The service that limits is Headgate itself: its check endpoint reports its own limit. */
  @Test
  void waitingClientStaysBelowTheLimitOfARealService() throws Exception {
    try (var service =
        TestService.with(
            Rule.named("api").match("key", "*").limit(FixedWindow.of(Rate.perSecond(5))).build())) {
      var client = LimitedHttpClient.of(HTTP, Duration.ofSeconds(30));
      var request =
          HttpRequest.newBuilder(URI.create(service.url() + "/v1/check"))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString("{\"key\":\"partner\"}"))
              .build();
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
      long refused =
          ConcurrentRunner.PLATFORM.sum(thread ->
              client.send(request, BodyHandlers.discarding()).statusCode() == 200 ? 0 : 1);
      assertThat(refused).isZero();
    }
  }

  @Test
  void budgetIsSharedByInstances() throws Exception {
    try (var target = first(200);
        var service =
            TestService.with(
                Rule.named("partner")
                    .match("api", "*")
                    .limit(TokenBucket.of(Rate.perHour(4)))
                    .build());
        var budget = HeadgateClient.connect(service.url())) {
      var patient = budget.within(Duration.ofSeconds(30));
      int sent = 0;
      for (int instance = 0; instance < 2; instance++) {
        var client =
            LimitedHttpClient.of(HTTP, Duration.ZERO)
                .sharing(request -> patient.checkAsync(Subject.of("api", "partner")));
        for (int i = 0; i < 3; i++) {
          try {
            get(client, target.url());
            sent++;
          } catch (QuotaExhaustedException e) {
            assertThat(e.retryAfter()).isPositive();
          }
        }
      }
      assertThat(sent).isEqualTo(4);
      assertThat(target.requests()).hasSize(4);
    }
  }

  @Test
  void failingBudgetSendsNothing() {
    try (var target = first(200)) {
      var broken =
          FAILING.sharing(request -> {
            throw new IllegalStateException("no budget");
          });
      assertThatThrownBy(() -> get(broken, target.url())).hasMessageContaining("no budget");
      assertThat(target.requests()).isEmpty();
    }
  }

  @Test
  void limiterOfThisProcessIsABudget() throws Exception {
    try (var target = first(200);
        var limiter =
            RateLimiter.inMemory(
                Rule.named("a").match("api", "*").limit(TokenBucket.of(Rate.perHour(1))).build())) {
      var client =
          FAILING.sharing(
              request -> limiter.checkAsync(Subject.of("api", request.uri().getHost())));
      assertThat(get(client, target.url())).isEqualTo(200);
      assertThatThrownBy(() -> get(client, target.url()))
          .isInstanceOf(QuotaExhaustedException.class);
    }
  }
}
