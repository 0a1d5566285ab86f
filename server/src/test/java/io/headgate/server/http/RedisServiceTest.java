package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.FailurePolicy.Deny;
import io.headgate.rule.Rule;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The service over a real Redis server, available and unavailable. */
class RedisServiceTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Rule USERS =
      Rule.named("users")
          .match("key", "user:*")
          .onStoreFailure(new Allow())
          .limit(TokenBucket.of(Rate.of(1, Duration.ofDays(1))).withBurst(3))
          .build();
  private static final Rule GUARDED =
      Rule.named("guarded")
          .match("key", "guarded:*")
          .onStoreFailure(new Deny())
          .limit(TokenBucket.of(Rate.perSecond(1)).withBurst(3))
          .build();
  private static final Rule JOBS =
      Rule.named("jobs").match("job", "*").limit(Concurrency.of(1)).build();
  private static final Rule LINE =
      Rule.named("line")
          .match("line", "*")
          .limit(LeakyBucket.of(Rate.perSecond(4)).withQueue(9))
          .build();

  private static final Rule BLOCK =
      Rule.named("block").match("key", "bot:*").limit(new io.headgate.limit.Deny()).build();

  private static final String USER = "{\"key\":\"user:42\"}";
  private static final String JOB = "{\"subject\":{\"job\":\"etl\"}}";

  private RedisServer redis;
  private RunningService service;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
    service = serve();
  }

  @AfterEach
  void stop() {
    service.close();
    redis.close();
  }

  /** Uses a deadline that a slow machine meets and a paused server does not. */
  private RunningService serve() {
    var options = RedisOptions.builder(redis.uri()).deadline(Duration.ofSeconds(5)).build();
    return RunningService.over(RedisStore.connect(options), USERS, GUARDED, JOBS, LINE, BLOCK);
  }

  private String acquire() {
    var answer = service.post("/v1/slots", JOB);
    assertThat(answer.status()).isEqualTo(201);
    return answer.body().replaceAll(".*\"id\":\"([\\w-]+)\".*", "$1");
  }

  private void awaitSource(String source) {
    Eventually.holds(
        "source is " + source,
        TIMEOUT,
        () -> {
          var answer = service.post("/v1/check", "{\"key\":\"guarded:x\",\"cost\":0}");
          return answer.body().contains("\"source\":\"" + source + "\"");
        });
  }

  @Test
  void checksAreChargedInRedisAndPeeksAreNot() {
    assertThat(service.post("/v1/peek", USER).body())
        .contains("\"remaining\":3", "\"source\":\"store\"");
    assertThat(service.post("/v1/check", USER).body())
        .contains("\"remaining\":2", "\"source\":\"store\"");
    assertThat(service.post("/v1/peek", USER).body()).contains("\"remaining\":2");
    assertThat(service.post("/v1/peek", USER).body()).contains("\"remaining\":2");
    try (var other = serve()) {
      assertThat(other.post("/v1/check", USER).body()).contains("\"remaining\":1");
    }
    assertThat(service.post("/v1/explain", USER).body()).contains("\"remaining\":1");
    assertThat(service.post("/v1/check", USER).status()).isEqualTo(200);
    assertThat(service.post("/v1/check", USER).status()).isEqualTo(429);
  }

  @Test
  void batchIsDecidedInOrder() {
    var answer =
        service.post(
            "/v1/check/batch", "{\"checks\":[%s,%s,%s,%s]}".formatted(USER, USER, USER, USER));
    var remaining = answer.body().split("\"rule\":\"users\",\"limit\":3,\"remaining\":", -1);
    assertThat(remaining).hasSize(5);
    assertThat(remaining[1]).startsWith("2");
    assertThat(remaining[2]).startsWith("1");
    assertThat(remaining[3]).startsWith("0");
    assertThat(remaining[3]).endsWith("{\"allowed\":false,");
  }

  @Test
  void resetReachesEveryInstance() {
    try (var other = serve()) {
      for (int i = 0; i < 4; i++) other.post("/v1/check", USER);
      assertThat(other.post("/v1/check", USER).status()).isEqualTo(429);
      assertThat(service.post("/v1/reset", "{\"key\":\"user:42\",\"rule\":\"users\"}").status())
          .isEqualTo(200);
      Eventually.holds(
          "the other instance is notified",
          TIMEOUT,
          () -> other.post("/v1/check", USER).status() == 200);
      assertThat(service.post("/v1/reset", "{\"key\":\"user:42\",\"rule\":\"usrs\"}").status())
          .isEqualTo(404);
    }
  }

  @Test
  void slotIsRenewedAndReleasedByAnotherInstance() {
    String slot = acquire();
    try (var other = serve()) {
      assertThat(other.post("/v1/slots", JOB).status()).isEqualTo(429);
      assertThat(other.request("PUT", "/v1/slots/" + slot).status()).isEqualTo(200);
      assertThat(other.request("DELETE", "/v1/slots/" + slot).status()).isEqualTo(204);
      assertThat(other.request("DELETE", "/v1/slots/" + slot).status()).isEqualTo(404);
      assertThat(other.request("DELETE", "/v1/slots/no").status()).isEqualTo(400);
    }
    assertThat(service.post("/v1/slots", JOB).status()).isEqualTo(201);
  }

  @Test
  void waitingRequestIsAnsweredAfterItsDelay() {
    String wait = "{\"subject\":{\"line\":\"a\"},\"wait\":true}";
    service.post("/v1/check", wait);
    assertThat(service.post("/v1/check", wait).body()).contains("\"delayMs\":2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/check", "/v1/peek", "/v1/explain", "/v1/slots"})
  void pendingStoreCallDoesNotBlockOtherRequests(String path) {
    redis.pause();
    try (var pending = service.connect()) {
      pending.sendPost(path, RawConnection.bytes(USER));
      // If the only event loop were blocked, this would be answered after the deadline.
      assertThat(service.request("GET", "/health/live").status()).isEqualTo(200);
      redis.resume();
      var answer = pending.read();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.body()).doesNotContain("fallback").contains("\"remaining\":");
    }
  }

  @Test
  void failurePoliciesDecideWhileRedisIsUnavailable() {
    service.post("/v1/check", USER);
    String slot = acquire();
    redis.kill();
    var allowed = service.post("/v1/check", USER);
    assertThat(allowed.status()).isEqualTo(200);
    assertThat(allowed.body()).contains("\"source\":\"fallback\"");
    var denied = service.post("/v1/check", "{\"key\":\"guarded:x\"}");
    assertThat(denied.status()).isEqualTo(429);
    assertThat(denied.body()).contains("\"source\":\"fallback\"");
    assertThat(denied.header("Retry-After")).isEqualTo("1");
    var blocked = service.post("/v1/check", "{\"key\":\"bot:7\"}");
    assertThat(blocked.status()).isEqualTo(403);
    assertThat(blocked.body()).as("needs no store").contains("\"source\":\"store\"");
    for (var path : new String[] {"/v1/peek", "/v1/explain", "/v1/slots", "/api/ratelimit/check"}) {
      assertThat(service.post(path, USER).status()).as(path).isEqualTo(200);
    }
    assertThat(service.post("/v1/check/batch", "{\"checks\":[" + USER + "]}").body())
        .contains("fallback");
    for (var method : new String[] {"PUT", "DELETE"}) {
      var unknown = service.request(method, "/v1/slots/" + slot);
      assertThat(unknown.status()).isEqualTo(503);
      assertThat(unknown.mediaType()).isEqualTo("application/problem+json");
      assertThat(unknown.header("Retry-After")).isEqualTo("1");
      assertThat(unknown.body())
          .contains("\"title\":\"Service Unavailable\"", "try again in a second");
    }
    assertThat(service.post("/v1/reset", "{\"key\":\"user:42\",\"rule\":\"users\"}").status())
        .isEqualTo(503);
    var ready = service.request("GET", "/health/ready");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(ready.body())
        .contains("\"store\":{\"kind\":\"redis\",\"unavailable\":true,\"problem\":\"");
    redis.restart();
    awaitSource("store");
    assertThat(service.request("GET", "/health/ready").body())
        .contains("\"store\":{\"kind\":\"redis\",\"unavailable\":false}");
    assertThat(service.post("/v1/check", USER).body()).contains("\"source\":\"store\"");
  }

  @Test
  void serviceStartedBeforeRedisUsesItOnceAvailable() {
    redis.kill();
    service.close();
    service = serve();
    assertThat(service.post("/v1/check", USER).body()).contains("\"source\":\"fallback\"");
    redis.restart();
    awaitSource("store");
  }
}
