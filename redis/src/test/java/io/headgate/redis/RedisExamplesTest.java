package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision;
import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs the examples of the Javadoc, which are the regions of this file. */
class RedisExamplesTest {
  @Test
  void store() {
    var rules = List.of(Rule.named("all").limit(TokenBucket.of(Rate.perMinute(100))).build());
    try (var server = RedisServer.start()) {
      Decision decision;
      String uri = server.uri();
      // @start region="store"
      var options =
          RedisOptions.builder(uri) // such as redis://10.0.0.5:6379
              .prefix("shop:")
              .deadline(Duration.ofMillis(500))
              .build();
      try (var limiter = RateLimiter.with(RedisStore.connect(options), rules)) {
        decision = limiter.check(Subject.of("user", "42"));
      }
      // @end
      assertThat(decision.isAllowed()).isTrue();
      assertThat(server.call("KEYS", "shop:*").toString()).contains("shop:");
    }
  }
}
