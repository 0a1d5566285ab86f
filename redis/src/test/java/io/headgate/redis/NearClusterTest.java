package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.redis.RedisCluster;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class NearClusterTest {
  /** Without leases such a plan spans slots, and has to be taken one after the other. */
  @Test
  void aLimitForEachAndOneForAllAreSpentTogetherWhereverTheyAreKept() {
    var each = Rule.named("each").per("key").limit(new TokenBucket(Rate.perDay(400)));
    var all = Rule.named("all").per().limit(new TokenBucket(Rate.perDay(1_000)));
    var rules =
        RuleSet.of(
            each.consistency(Consistency.LEASED).build(),
            all.consistency(Consistency.LEASED).build());
    try (var cluster = RedisCluster.start(3, 0)) {
      var options = RedisOptions.of(cluster.uri()).withDeadline(Duration.ofSeconds(10));
      try (var one = RateLimiter.with(RedisStore.connect(options), rules);
          var other = RateLimiter.with(RedisStore.connect(options), rules)) {
        var passed = new int[4];
        for (int i = 0; i < 4_000; i++) {
          var limiter = i % 3 == 0 ? one : other;
          var request = Request.of(Subject.of("user:" + i % 4));
          if (limiter.decide(request).isAllowed()) passed[i % 4]++;
        }
        assertThat(Arrays.stream(passed).max().orElseThrow()).isLessThanOrEqualTo(400);
        assertThat(Arrays.stream(passed).sum()).isBetween(800, 1_000);
      }
    }
  }
}
