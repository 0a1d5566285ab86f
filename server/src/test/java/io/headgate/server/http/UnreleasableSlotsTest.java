package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Rule;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Slots that the client can't release are not kept. */
class UnreleasableSlotsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Rule JOBS =
      Rule.named("jobs")
          .match("job", "*")
          .limit(Concurrency.of(2).withLease(Duration.ofDays(1)))
          .build();
  private static final Rule KEYS =
      Rule.named("keys")
          .match("key", "*")
          .limit(Concurrency.of(1).withLease(Duration.ofDays(1)))
          .build();
  private static final String JOB = "{\"subject\":{\"job\":\"etl\"}}";

  @Test
  void responseWithoutSlotIdKeepsNoSlot() {
    try (var service = RunningService.with(KEYS);
        var connection = service.connect()) {
      for (int i = 0; i < 3; i++) {
        assertThat(connection.post("/api/ratelimit/check", "{\"key\":\"k\"}").status())
            .isEqualTo(200);
      }
      assertThat(connection.post("/v1/check", "{\"key\":\"k\"}").status()).isEqualTo(200);
      assertThat(connection.post("/api/ratelimit/check", "{\"key\":\"k\"}").status())
          .isEqualTo(429);
    }
  }

  @Test
  void batchOfADisconnectedClientKeepsNoSlot() {
    try (var redis = RedisServer.start()) {
      var options = RedisOptions.builder(redis.uri()).deadline(TIMEOUT).build();
      try (var service = RunningService.over(RedisStore.connect(options), JOBS)) {
        assertThat(service.post("/v1/peek", JOB).body()).contains("\"remaining\":2,");
        redis.pause();
        try (var connection = service.connect()) {
          var batch = "{\"checks\":[%s,%s]}".formatted(JOB, JOB);
          connection.sendPost("/v1/check/batch", RawConnection.bytes(batch));
          connection.endOfRequests();
          assertThat(connection.isClosedByServer()).isTrue();
        }
        redis.resume();
        Eventually.holds(
            "both slots are free",
            TIMEOUT,
            () -> service.post("/v1/peek", JOB).body().contains("\"remaining\":2,"));
      }
    }
  }
}
