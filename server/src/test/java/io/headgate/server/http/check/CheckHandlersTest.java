package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Deny;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Schedule;
import io.headgate.server.http.RawAnswer;
import io.headgate.server.http.RawConnection;
import io.headgate.server.http.RunningService;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The exact response of each kind of decision. */
class CheckHandlersTest {
  private static final Rule PER_USER =
      Rule.named("per-user")
          .match("key", "user:*")
          .limit(TokenBucket.of(Rate.perMinute(100)).withBurst(2))
          .build();

  private static final Rule CONTRACT =
      Rule.named("contract")
          .match("tenant", "*")
          .limit(RuleLimit.of("calls", FixedWindow.of(Rate.perHour(1_000))))
          .limit(RuleLimit.of("bytes", FixedWindow.of(Rate.perHour(4_096))).withCost("bytes"))
          .property("status", "403")
          .build();

  private static final Rule JOBS =
      Rule.named("jobs")
          .match("job", "*")
          .limit(Concurrency.of(2).withLease(Duration.ofSeconds(30)))
          .build();

  private static final Rule REPORTS =
      Rule.named("reports")
          .match("report", "*")
          .limit(LeakyBucket.of(Rate.perSecond(4)).withQueue(2))
          .build();

  private static final Rule TRIAL =
      Rule.named("trial")
          .match("trial", "*")
          .mode(Mode.SHADOW)
          .limit(FixedWindow.of(Rate.perHour(1)))
          .build();

  private static final Rule BLOCK =
      Rule.named("block").match("key", "user:mallory").limit(new Deny()).build();

  /** Denies until 90.5 s after the start of the service. */
  private static final Rule CLOSED =
      Rule.named("closed")
          .match("tenant", "closed")
          .limit(new Deny())
          .active(
              new Schedule(
                  Schedule.ALWAYS.days(),
                  Optional.empty(),
                  ZoneOffset.UTC,
                  Optional.empty(),
                  Optional.of(
                      LocalDateTime.ofEpochSecond(1_789_300_890L, 500_000_000, ZoneOffset.UTC))))
          .property("status", "451")
          .build();

  private static final Rule HEALTH = Rule.named("health").match("path", "/health").exempt().build();

  private static final Rule SHARED =
      Rule.named("shared")
          .match("team", "*")
          .limit(
              new FairShare(
                  TokenBucket.of(Rate.perMinute(30)),
                  FairSharing.among("team").withWeight("big", 3)))
          .build();

  private static final Rule METERED =
      Rule.named("metered")
          .match("squad", "*")
          .limit(
              RuleLimit.of("tokens", FixedWindow.of(Rate.perHour(1_000)))
                  .withRequiredCost("tokens"))
          .build();

  private static final RunningService SERVICE =
      RunningService.with(
          PER_USER, CONTRACT, JOBS, REPORTS, TRIAL, BLOCK, CLOSED, HEALTH, SHARED, METERED);

  @BeforeEach
  void resetCounters() {
    SERVICE.reset("user:42", PER_USER);
    SERVICE.reset(Map.of("tenant", "acme"), CONTRACT);
    SERVICE.reset(Map.of("job", "etl"), JOBS);
    SERVICE.reset(Map.of("report", "pdf"), REPORTS);
    SERVICE.reset(Map.of("trial", "x"), TRIAL);
  }

  @AfterAll
  static void stop() {
    SERVICE.close();
  }

  private static RawAnswer check(String body, String... headers) {
    return SERVICE.post("/v1/check", body, headers);
  }

  @Test
  void allowedRequestReportsRemainingPermits() {
    var answer = check("{\"key\":\"user:42\"}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.mediaType()).isEqualTo("application/json");
    assertThat(answer.body())
        .isEqualTo(
            """
            {"allowed":true,"rule":"per-user","limit":2,"remaining":1,"retryAfterMs":0,\
            "resetAfterMs":600,"delayMs":0,"source":"store","violated":[],\
            "limits":[{"rule":"per-user","name":"per-user","algorithm":"token-bucket",\
            "limit":2,"remaining":1,"resetAfterMs":600}]}\
            """);
    assertThat(answer.header("RateLimit-Policy")).isEqualTo("\"per-user\";q=2");
    assertThat(answer.header("RateLimit")).isEqualTo("\"per-user\";r=1;t=1");
    assertThat(answer.header("X-RateLimit-Limit")).isEqualTo("2");
    assertThat(answer.header("X-RateLimit-Remaining")).isEqualTo("1");
    assertThat(answer.header("X-RateLimit-Reset")).isEqualTo("1789300801");
    assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(answer.headers()).doesNotContainKeys("retry-after", "cache-control");
  }

  @Test
  void deniedRequestReportsRetryTime() {
    check("{\"key\":\"user:42\",\"cost\":2}");
    var answer = check("{\"key\":\"user:42\"}");
    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.mediaType()).isEqualTo("application/json");
    assertThat(answer.body())
        .isEqualTo(
            """
            {"allowed":false,"rule":"per-user","limit":2,"remaining":0,"retryAfterMs":600,\
            "resetAfterMs":1200,"delayMs":0,"source":"store","violated":["per-user"],\
            "limits":[{"rule":"per-user","name":"per-user","algorithm":"token-bucket",\
            "limit":2,"remaining":0,"resetAfterMs":1200}]}\
            """);
    assertThat(answer.header("Retry-After")).isEqualTo("1");
    assertThat(answer.header("RateLimit")).isEqualTo("\"per-user\";r=0;t=1");
    assertThat(answer.header("X-RateLimit-Reset")).isEqualTo("1789300802");
    assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
  }

  @Test
  void denialIsAProblemDocumentIfAccepted() {
    check("{\"key\":\"user:42\",\"cost\":2}");
    var answer =
        check("{\"key\":\"user:42\"}", "Accept: application/json;q=0.5, application/problem+json");
    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.mediaType()).isEqualTo("application/problem+json");
    assertThat(answer.body())
        .startsWith("{\"allowed\":false,\"rule\":\"per-user\",\"limit\":2,")
        .endsWith(
            """
            ,"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",\
            "title":"Quota exceeded","status":429,"violated-policies":["per-user"]}\
            """);
  }

  @Test
  void problemDocumentExcludedByAcceptIsNotSent() {
    check("{\"key\":\"user:42\",\"cost\":2}");
    var answer = check("{\"key\":\"user:42\"}", "Accept: application/problem+json;q=0, */*");
    assertThat(answer.mediaType()).isEqualTo("application/json");
  }

  @Test
  void requestWithoutMatchingRuleIsAllowed() {
    var answer = check("{\"key\":\"stranger\"}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body())
        .isEqualTo(
            """
            {"allowed":true,"rule":null,"limit":null,"remaining":null,"retryAfterMs":0,\
            "resetAfterMs":0,"delayMs":0,"source":"store","violated":[],"limits":[]}\
            """);
    assertThat(answer.headers()).doesNotContainKeys("ratelimit", "x-ratelimit-limit");
  }

  @Test
  void tenantsOfOneLimitHaveSharesOfTheirOwn() {
    int small = 0;
    while (check("{\"subject\":{\"team\":\"small\"}}").status() == 200) small++;
    assertThat(small).isEqualTo(15);
    var big = check("{\"subject\":{\"team\":\"big\"}}");
    assertThat(big.status()).isEqualTo(200);
    assertThat(big.body())
        .contains("\"rule\":\"shared\",\"limit\":30,", "\"algorithm\":\"token-bucket\"");
    var denied = check("{\"subject\":{\"team\":\"small\"}}");
    assertThat(denied.status()).isEqualTo(429);
    assertThat(denied.body()).contains("\"violated\":[\"shared\"]");
  }

  @Test
  void ruleThatDeniesEveryRequestAnswers403WithoutRetryTime() {
    var answer = check("{\"key\":\"user:mallory\"}");
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.body())
        .isEqualTo(
            """
            {"allowed":false,"rule":"block","limit":0,"remaining":0,"retryAfterMs":null,\
            "resetAfterMs":0,"delayMs":0,"source":"store","violated":["block"],\
            "limits":[{"rule":"block","name":"block","algorithm":"deny",\
            "limit":0,"remaining":0,"resetAfterMs":0}]}\
            """);
    assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
    assertThat(answer.headers())
        .doesNotContainKeys("retry-after", "ratelimit", "ratelimit-policy", "x-ratelimit-limit");
    assertThat(check("{\"key\":\"user:mallory\"}", "Accept: application/problem+json").body())
        .endsWith(
            """
            ,"type":"about:blank","title":"Forbidden","status":403,"violated-policies":["block"]}\
            """);
    assertThat(SERVICE.post("/v1/peek", "{\"key\":\"user:mallory\"}").status()).isEqualTo(403);
    assertThat(SERVICE.post("/v1/slots", "{\"key\":\"user:mallory\"}").status()).isEqualTo(403);
  }

  @Test
  void denialThatEndsHasTheRetryTimeAndTheStatusOfItsRule() {
    var answer = check("{\"subject\":{\"tenant\":\"closed\"}}");
    assertThat(answer.status()).isEqualTo(451);
    assertThat(answer.header("Retry-After")).isEqualTo("91");
    assertThat(answer.body()).contains("\"rule\":\"closed\"", "\"retryAfterMs\":90500,");
  }

  @Test
  void exemptRequestIsAllowedByTheRuleWithoutALimit() {
    var answer = check("{\"subject\":{\"key\":\"user:mallory\",\"path\":\"/health\"}}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body())
        .isEqualTo(
            """
            {"allowed":true,"rule":"health","limit":null,"remaining":null,"retryAfterMs":0,\
            "resetAfterMs":0,"delayMs":0,"source":"store","violated":[],"limits":[]}\
            """);
    assertThat(answer.headers()).doesNotContainKeys("ratelimit", "x-ratelimit-limit");
  }

  @Test
  void costAboveTheLimitIsImpossible() {
    var answer = check("{\"key\":\"user:42\",\"cost\":3}");
    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.body())
        .isEqualTo(
            """
            {"allowed":false,"rule":"per-user","limit":2,"remaining":2,"retryAfterMs":null,\
            "resetAfterMs":0,"delayMs":0,"source":"store","violated":["per-user"],\
            "limits":[{"rule":"per-user","name":"per-user","algorithm":"token-bucket",\
            "limit":2,"remaining":2,"resetAfterMs":0}],"impossible":true}\
            """);
    assertThat(answer.headers()).doesNotContainKey("retry-after");
    assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
  }

  @Test
  void everyLimitOfARuleIsReportedWithItsUnit() {
    var answer = check("{\"subject\":{\"tenant\":\"acme\"},\"costs\":{\"bytes\":512}}");
    assertThat(answer.header("RateLimit-Policy"))
        .isEqualTo(
            "\"contract/calls\";q=1000;w=3600,\"contract/bytes\";q=4096;w=3600;qu=\"content-bytes\"");
    assertThat(answer.header("RateLimit"))
        .isEqualTo("\"contract/calls\";r=999;t=3600,\"contract/bytes\";r=3584;t=3600");
    assertThat(answer.body())
        .contains("\"rule\":\"contract\",\"limit\":1000,\"remaining\":999")
        .contains("{\"rule\":\"contract\",\"name\":\"bytes\",\"algorithm\":\"fixed-window\",");
  }

  @Test
  void ruleSetsTheStatusOfItsDenials() {
    var answer = check("{\"subject\":{\"tenant\":\"acme\"},\"costs\":{\"bytes\":5000}}");
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.body()).contains("\"violated\":[\"contract/bytes\"]");
  }

  @Test
  void concurrencyLimitReportsASlotIdAndNoWindow() {
    var answer = check("{\"subject\":{\"job\":\"etl\"}}");
    assertThat(answer.body()).matches("\\{\"allowed\":true.*],\"id\":\"[\\w-]+\"}");
    assertThat(answer.header("RateLimit-Policy"))
        .isEqualTo("\"jobs\";q=2;qu=\"concurrent-requests\"");
  }

  @Test
  void queueingLimitReportsTheDelayAtOnce() {
    check("{\"subject\":{\"report\":\"pdf\"}}");
    var answer = check("{\"subject\":{\"report\":\"pdf\"}}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body())
        .startsWith(
            "{\"allowed\":true,\"rule\":\"reports\",\"limit\":3,\"remaining\":1,"
                + "\"retryAfterMs\":0,\"resetAfterMs\":500,\"delayMs\":250,");
  }

  @Test
  void shadowRuleIsReportedInTheBodyButNotInTheHeaders() {
    check("{\"subject\":{\"trial\":\"x\"}}");
    var answer = check("{\"subject\":{\"trial\":\"x\"}}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body())
        .startsWith("{\"allowed\":true,\"rule\":null,")
        .contains("\"violated\":[]")
        .contains("\"remaining\":0,\"resetAfterMs\":3600000,\"shadow\":true}]")
        .endsWith(",\"shadow\":[\"trial\"]}");
    assertThat(answer.headers()).doesNotContainKey("ratelimit-policy");
  }

  @Test
  void numbersAndBooleansAreAcceptedAsText() {
    var number = check("{\"key\":42,\"cost\":0}");
    var subject = check("{\"subject\":{\"user\":42,\"beta\":true,\"tenant\":\"acme\"},\"cost\":0}");
    assertThat(number.status()).isEqualTo(200);
    assertThat(subject.body()).contains("\"rule\":\"contract\"");
  }

  @Test
  void peekChargesNothingAndAcquiresNoSlot() {
    for (int i = 0; i < 5; i++) {
      var answer = SERVICE.post("/v1/peek", "{\"key\":\"user:42\"}");
      assertThat(answer.body()).contains("\"remaining\":2,", "\"resetAfterMs\":0,");
      assertThat(answer.header("RateLimit")).isEqualTo("\"per-user\";r=2;t=0");
    }
    assertThat(SERVICE.post("/v1/peek", "{\"subject\":{\"job\":\"etl\"}}").body())
        .contains("\"allowed\":true")
        .doesNotContain("\"id\"");
  }

  @Test
  void checksOfABatchAreDecidedIndependentlyAndInOrder() {
    var answer =
        SERVICE.post(
            "/v1/check/batch",
            """
            {"checks":[{"key":"user:42"},{"subject":{"tenant":"acme"},"costs":{"bytes":9999}},
                       {"key":"user:42"},{"key":"user:42"},{"key":"stranger"}]}\
            """);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).startsWith("{\"decisions\":[{\"allowed\":true,").endsWith("}]}");
    var allowed =
        answer.body().replaceAll("\"allowed\":(true|false)|.", "$1 ").strip().split(" +", -1);
    assertThat(allowed).containsExactly("true", "false", "true", "false", "true");
    assertThat(answer.headers()).doesNotContainKey("ratelimit");
  }

  @Test
  void emptyBatchHasNoDecisions() {
    assertThat(SERVICE.post("/v1/check/batch", "{\"checks\":[]}").body())
        .isEqualTo("{\"decisions\":[]}");
  }

  @Test
  void batchMayHaveAThousandChecks() {
    String one = "{\"key\":\"stranger\",\"cost\":1}";
    String checks = String.join(",", java.util.Collections.nCopies(1_000, one));
    var answer = SERVICE.post("/v1/check/batch", "{\"checks\":[" + checks + "]}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body().split("\"allowed\":true", -1)).hasSize(1_001);
  }

  @Test
  void tokensEndpointHasItsOwnFormat() {
    var allowed =
        SERVICE.post("/api/ratelimit/check", "{\"key\":\"user:42\",\"tokensRequested\":2}");
    assertThat(allowed.status()).isEqualTo(200);
    assertThat(allowed.body())
        .isEqualTo(
            """
            {"key":"user:42","tokensRequested":2,"allowed":true,"tokensRemaining":0,\
            "resetTime":"2026-09-13T12:00:01.200Z"}\
            """);
    var denied = SERVICE.post("/api/ratelimit/check", "{\"key\":\"user:42\",\"tokens\":1}");
    assertThat(denied.status()).isEqualTo(429);
    assertThat(denied.header("Retry-After")).isEqualTo("1");
    assertThat(denied.body())
        .isEqualTo(
            """
            {"key":"user:42","tokensRequested":1,"allowed":false,"tokensRemaining":0,\
            "resetTime":"2026-09-13T12:00:01.200Z"}\
            """);
  }

  @Test
  void tokensDefaultToOne() {
    assertThat(SERVICE.post("/api/ratelimit/check", "{\"key\":\"user:42\"}").body())
        .contains("\"tokensRequested\":1,\"allowed\":true,\"tokensRemaining\":1,");
  }

  @Test
  void tokensWithoutMatchingRuleAreNull() {
    assertThat(SERVICE.post("/api/ratelimit/check", "{\"key\":\"stranger\"}").body())
        .contains("\"allowed\":true,\"tokensRemaining\":null,");
  }

  @Test
  void jsonMediaTypesAndMissingTypeAreAccepted() {
    String body = "{\"key\":\"stranger\"}";
    assertThat(check(body, "Content-Type: application/json; charset=UTF-8").status())
        .isEqualTo(200);
    assertThat(check(body, "Content-Type: application/vnd.api+json").status()).isEqualTo(200);
    try (var connection = SERVICE.connect()) {
      connection.send(RawConnection.head("POST /v1/check", "Content-Length: " + body.length()));
      connection.send(RawConnection.bytes(body));
      assertThat(connection.read().status()).isEqualTo(200);
    }
  }

  @Test
  void chunkedBodyIsAccepted() {
    try (var connection = SERVICE.connect()) {
      connection.send(RawConnection.head("POST /v1/check", "Transfer-Encoding: chunked"));
      connection.send(RawConnection.bytes("8\r\n{\"key\":\"\r\n"));
      connection.send(RawConnection.bytes("a\r\nstranger\"}\r\n0\r\n\r\n"));
      assertThat(connection.read().body()).startsWith("{\"allowed\":true,\"rule\":null");
    }
  }

  @Test
  void expectContinueIsAnsweredWith100() {
    String body = "{\"key\":\"stranger\"}";
    try (var connection = SERVICE.connect()) {
      connection.send(
          RawConnection.head(
              "POST /v1/check", "Expect: 100-continue", "Content-Length: " + body.length()));
      assertThat(connection.read().status()).isEqualTo(100);
      connection.send(RawConnection.bytes(body));
      assertThat(connection.read().status()).isEqualTo(200);
    }
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() {
    try (var connection = SERVICE.connect()) {
      for (int cost = 0; cost < 3; cost++) {
        connection.sendPost(
            "/api/ratelimit/check", RawConnection.bytes("{\"key\":\"s\",\"tokens\":" + cost + "}"));
      }
      for (int cost = 0; cost < 3; cost++) {
        assertThat(connection.read().body()).contains("\"tokensRequested\":" + cost + ",");
      }
    }
  }

  private static final String MISSPELT =
      "{\"subject\":{\"tenant\":\"acme\"},\"costs\":{\"byte\":90000}}";

  @Test
  void unusedCostIsListedByEachEndpoint() {
    for (var path : List.of("/v1/check", "/v1/peek", "/v1/slots", "/v1/usage")) {
      var answer = SERVICE.post(path, MISSPELT);
      assertThat(answer.status()).as(path).isEqualTo(200);
      assertThat(answer.body()).as(path).endsWith(",\"unusedCosts\":[\"byte\"]}");
    }
    assertThat(SERVICE.post("/v1/reservations", MISSPELT).body())
        .contains("\"unusedCosts\":[\"byte\"],\"reserved\":{");
    var batch =
        SERVICE.post("/v1/check/batch", "{\"checks\":[{\"key\":\"user:1\"}," + MISSPELT + "]}");
    assertThat(batch.body())
        .containsOnlyOnce("unusedCosts")
        .endsWith(",\"unusedCosts\":[\"byte\"]}]}");
    assertThat(SERVICE.post("/v1/check", MISSPELT.replace("byte", "bytes")).body())
        .as("a cost that a limit spends")
        .doesNotContain("unusedCosts");
    assertThat(SERVICE.post("/v1/check", "{\"key\":\"user:1\",\"cost\":2}").body())
        .as("a plain cost that a limit spends")
        .doesNotContain("unusedCosts");
  }

  @Test
  void strictRequestWithUnusedCostIsRejectedAndChargesNothing() {
    var before = SERVICE.post("/v1/peek", "{\"subject\":{\"tenant\":\"acme\"}}").body();
    for (var path :
        List.of("/v1/check", "/v1/peek", "/v1/slots", "/v1/usage", "/v1/reservations")) {
      var answer = SERVICE.post(path + "?strict=true", MISSPELT);
      assertThat(answer.status()).as(path).isEqualTo(400);
      assertThat(answer.body())
          .contains(
              "costs has byte, which no limit that matches spends; the rules that match spend bytes");
    }
    var batch =
        SERVICE.post(
            "/v1/check/batch?strict=true",
            "{\"checks\":[{\"subject\":{\"tenant\":\"acme\"}}," + MISSPELT + "]}");
    assertThat(batch.status()).isEqualTo(400);
    assertThat(batch.body()).contains("checks[1].costs has byte");
    assertThat(SERVICE.post("/v1/peek", "{\"subject\":{\"tenant\":\"acme\"}}").body())
        .isEqualTo(before);
    assertThat(SERVICE.post("/v1/check?strict=false", MISSPELT).status()).isEqualTo(200);
  }

  @Test
  void misspelledStrictIsRejected() {
    assertThat(SERVICE.post("/v1/check?stric=true", MISSPELT).status()).isEqualTo(400);
    assertThat(SERVICE.post("/v1/check?strict=yes", MISSPELT).status()).isEqualTo(400);
  }

  @Test
  void requestWithoutRequiredCostIsRejectedBeforeAnythingIsCharged() {
    String without = "{\"subject\":{\"squad\":\"a\",\"key\":\"user:77\"},\"costs\":{\"token\":5}}";
    for (var path : List.of("/v1/check", "/v1/peek", "/v1/usage", "/v1/reservations")) {
      var answer = SERVICE.post(path, without);
      assertThat(answer.status()).as(path).isEqualTo(400);
      assertThat(answer.body())
          .contains(
              "costs.tokens is missing: limit 'metered/tokens' requires the cost tokens, and the request has"
                  + " only others; send tokens, or 0 if there is none");
    }
    var batch =
        SERVICE.post("/v1/check/batch", "{\"checks\":[{\"key\":\"user:77\"}," + without + "]}");
    assertThat(batch.status()).isEqualTo(400);
    assertThat(SERVICE.post("/v1/peek", "{\"key\":\"user:77\"}").body())
        .as("the first check of the batch is not charged")
        .contains("\"remaining\":2,");
    assertThat(SERVICE.request("GET", "/v1/gate", "X-Headgate-Attr-Squad: a").status())
        .isEqualTo(400);
    assertThat(
            SERVICE
                .request(
                    "GET", "/v1/gate", "X-Headgate-Attr-Squad: a", "X-Headgate-Deny-Status: 403")
                .status())
        .isEqualTo(403);
    assertThat(SERVICE.post("/v1/check", without.replace("token", "tokens")).status())
        .isEqualTo(200);
    assertThat(SERVICE.post("/v1/explain", "{\"subject\":{\"squad\":\"a\"}}").status())
        .isEqualTo(200);
  }
}
