package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.FailurePolicy.Local;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.server.http.LogCapture;
import io.headgate.server.http.RawAnswer;
import io.headgate.server.http.RawConnection;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.store.Ticker;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A service whose Redis has stopped says what is unknown, and which policy decides. */
class StoreOutageTest extends Shell {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static RateLimiter limiter;
  private static Service service;
  private static LogCapture log;

  @BeforeAll
  static void startAndStopRedis() throws Exception {
    log = new LogCapture("io.headgate.server.FallbackLog");
    var redis = RedisServer.start();
    var options = RedisOptions.builder(redis.uri()).deadline(Duration.ofSeconds(5)).build();
    limiter =
        RateLimiter.with(
            RedisStore.connect(options),
            RuleSet.of(
                rule("open", new Allow()), rule("shut", new Deny()), rule("share", new Local())));
    var settings =
        new ServiceSettings(
            "127.0.0.1", 0, AccessControl.OPEN, Duration.ofMinutes(1), Duration.ZERO, 1);
    var repository = InMemoryRuleRepository.of(limiter.rules());
    service = Service.start(settings, limiter, repository, Ticker.system());
    assertThat(post("/v1/check", "open:1").body())
        .contains("\"remaining\":199", "\"source\":\"store\"")
        .doesNotContain("onStoreFailure");
    redis.close();
    Eventually.holds(
        "the outage is detected",
        TIMEOUT,
        () -> {
          post("/v1/check", "open:1");
          return stats().at("unavailable").isTrue();
        });
  }

  private static Rule rule(String id, FailurePolicy policy) {
    return Rule.named(id)
        .match("key", id + ":*")
        .onStoreFailure(policy)
        .limit(TokenBucket.of(Rate.perMinute(100)).withBurst(200))
        .build();
  }

  @AfterAll
  static void stop() {
    service.close();
    limiter.close();
    log.close();
  }

  @BeforeEach
  void address() {
    environment.put("HEADGATE_URL", "http://127.0.0.1:" + service.port());
  }

  private static RawAnswer post(String path, String key) {
    try (var connection = RawConnection.to(service.port())) {
      return connection.post(path, "{\"key\":\"%s\"}".formatted(key));
    }
  }

  private static RawAnswer get(String path) {
    try (var connection = RawConnection.to(service.port())) {
      return connection.request("GET", path);
    }
  }

  private static JsonReply stats() {
    try {
      return JsonReply.read(get("/v1/stats").body()).at("store");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void healthGivesTheReasonInWords() {
    Eventually.holds(
        "the refused connection is reported",
        TIMEOUT,
        () -> {
          post("/v1/check", "open:1");
          return get("/health/ready").body().contains(": the connection was refused\"");
        });
  }

  @Test
  void checkPrintsUnknownAndThePolicy() {
    run("check", "open:1");
    assertThat(out)
        .isEqualTo(
            """
            allowed  open: unknown, the store is unavailable; on-store-failure: allow
              source   fallback: the store is unavailable; on-store-failure: allow
            """);
    assertThat(code).isZero();
    run("check", "open:1", "--peek");
    assertThat(out).startsWith("allowed  open: unknown, the store is unavailable");
    run("check", "shut:1");
    assertThat(out)
        .startsWith(
            "denied  shut: unknown, the store is unavailable; on-store-failure: deny, retry");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void checkPrintsThatFiguresAreThoseOfTheLocalShare() {
    run("check", "share:1");
    assertThat(out)
        .startsWith(
            "allowed  share: 199 left in the share of this instance (limit 200), all back in")
        .contains("; the store is unavailable; on-store-failure: local\n");
  }

  @Test
  void explainShowsNoFreshCounters() {
    run("explain", "open:1");
    assertThat(out)
        .contains(
            "token-bucket: unknown, the store is unavailable; on-store-failure: allow, counter of key=open:1\n")
        .doesNotContain("200 of 200");
    assertThat(post("/v1/explain", "open:1").body())
        .contains("\"remaining\":null,\"resetAfterMs\":null,\"onStoreFailure\":\"allow\"");
  }

  @Test
  void unknownFiguresAreLeftOutOfResponsesAndHeaders() {
    var answer = post("/v1/check", "open:1");
    assertThat(answer.body())
        .contains("\"limit\":200,\"remaining\":null,", "\"resetAfterMs\":null,")
        .contains("\"source\":\"fallback\",\"onStoreFailure\":\"allow\",");
    assertThat(answer.header("RateLimit-Policy")).isEqualTo("\"open\";q=200;w=120");
    assertThat(answer.header("X-RateLimit-Limit")).isEqualTo("200");
    assertThat(answer.headers())
        .doesNotContainKeys("ratelimit", "x-ratelimit-remaining", "x-ratelimit-reset");
    assertThat(post("/v1/check", "shut:1").header("Retry-After")).isEqualTo("1");
    assertThat(post("/api/ratelimit/check", "open:1").body())
        .contains("\"tokensRemaining\":null,\"resetTime\":null");
    assertThat(post("/v1/check", "share:2").header("RateLimit")).startsWith("\"share\";r=199;t=");
  }

  @Test
  void statisticsListTheRulesOfEachPolicyAndTheirDecisions() {
    post("/v1/check", "shut:1");
    Eventually.holds(
        "decisions are counted",
        TIMEOUT,
        () ->
            stats().at("decidedByPolicy").number() > stats().at("allowedUncounted").number()
                && stats().at("allowedUncounted").number() > 0);
    var store = stats();
    assertThat(System.currentTimeMillis() - store.at("since").number())
        .isBetween(0L, TIMEOUT.toMillis());
    assertThat(store.at("trackedKeys").isPresent()).isFalse();
    assertThat(get("/v1/stats").body())
        .contains(
            """
            "failurePolicies":[{"policy":"allow","count":1,"rules":["open"]},\
            {"policy":"deny","count":1,"rules":["shut"]},\
            {"policy":"local","count":1,"rules":["share"]}]\
            """);
    assertThat(get("/metrics").body()).containsPattern("headgate_uncounted_checks_total [1-9]");
    assertThat(get("/health/ready").body()).contains("\"since\":\"20");
  }

  @Test
  void warningNamesTheRulesThatFailOpenAndTheTimeout() {
    Eventually.holds("a warning is logged", TIMEOUT, () -> !log.text().isEmpty());
    assertThat(log.text())
        .containsPattern("^\\d+ checks? passed uncounted since 20\\S+Z, because redis at 127")
        .contains(
            "Rules that fail open: open.",
            "--store-timeout (now 5000 ms)",
            "--grpc-deadline (now 15 ms)");
  }
}
