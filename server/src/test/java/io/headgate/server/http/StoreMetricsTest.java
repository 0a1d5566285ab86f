package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Rule;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StoreMetricsTest {
  private static final Rule USERS =
      Rule.named("users")
          .match("key", "user:*")
          .limit(TokenBucket.of(Rate.perDay(1)).withBurst(3))
          .build();

  @Test
  void storeLatencyAndOutagesAreMeasured() {
    var counts = new StoreMetrics();
    try (var redis = RedisServer.start()) {
      var options =
          RedisOptions.builder(redis.uri())
              .deadline(Duration.ofSeconds(5))
              .outageListener(counts)
              .roundTripListener(counts)
              .build();
      try (var service = RunningService.over(RedisStore.connect(options), counts, USERS)) {
        for (int i = 0; i < 3; i++) service.post("/v1/check", "{\"key\":\"user:1\"}");
        var available = Series.of(service);
        assertThat(available.value("headgate_store_commands_total")).isGreaterThanOrEqualTo(3);
        assertThat(available.value("headgate_store_seconds_count")).isGreaterThanOrEqualTo(3);
        assertThat(available.value("headgate_store_seconds_sum")).isPositive();
        assertThat(available.decisions("users", "allowed", "store")).isEqualTo(3);
        assertThat(available.values()).doesNotContainKey("headgate_tracked_keys");
        assertThat(available.value("headgate_breaker_state")).isZero();

        redis.kill();
        Eventually.holds(
            "the circuit breaker is open",
            Duration.ofSeconds(30),
            () -> {
              service.post("/v1/check", "{\"key\":\"user:2\"}");
              return Series.of(service).value("headgate_breaker_state") == 1;
            });
        service.post("/v1/check", "{\"key\":\"user:2\"}");
        var unavailable = Series.of(service);
        assertThat(unavailable.value("headgate_store_outages_total")).isEqualTo(1);
        assertThat(unavailable.decisions("users", "allowed", "fallback")).isPositive();
        assertThat(
                unavailable.values().entrySet().stream()
                    .filter(series -> series.getKey().startsWith("headgate_store_errors_total"))
                    .mapToDouble(series -> series.getValue())
                    .sum())
            .isPositive();
      }
    }
  }
}
