package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisCluster;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ConsistencyModesClusterTest {
  /** With strict consistency such a plan would span hash slots. */
  @Test
  void leasedPlanAcrossSlotsRespectsBothLimits() {
    var each = Rule.named("each").per("key").limit(TokenBucket.of(Rate.perDay(400)));
    var all = Rule.named("all").per().limit(TokenBucket.of(Rate.perDay(1_000)));
    var rules =
        RuleSet.of(
            each.consistency(Consistency.LEASED).build(),
            all.consistency(Consistency.LEASED).build());
    try (var cluster = RedisCluster.start(3, 0)) {
      var options = RedisOptions.builder(cluster.uri()).deadline(Duration.ofSeconds(10)).build();
      try (var one = RateLimiter.with(RedisStore.connect(options), rules);
          var other = RateLimiter.with(RedisStore.connect(options), rules)) {
        var passed = new int[4];
        for (int i = 0; i < 4_000; i++) {
          var limiter = i % 3 == 0 ? one : other;
          var request = Request.of(Subject.of("user:" + i % 4));
          if (limiter.checkForResult(request).isAllowed()) passed[i % 4]++;
        }
        assertThat(Arrays.stream(passed).max().orElseThrow()).isLessThanOrEqualTo(400);
        assertThat(Arrays.stream(passed).sum()).isBetween(800, 1_000);
      }
    }
  }

  /** Checks on other shards are still allowed. */
  @Test
  void policyOfEventualRuleAppliesWhileOneShardIsUnavailable() {
    var rule =
        Rule.named("r")
            .match("key", "*")
            .consistency(Consistency.EVENTUAL)
            .onStoreFailure(new FailurePolicy.Deny())
            .limit(TokenBucket.of(Rate.perMinute(1_000_000)))
            .build();
    try (var cluster = RedisCluster.start(3, 0, "--cluster-require-full-coverage", "no");
        var limiter =
            RateLimiter.with(
                RedisStore.connect(
                    RedisOptions.builder(cluster.uri()).deadline(Duration.ofMillis(200)).build()),
                RuleSet.of(rule))) {
      var dead = cluster.primaryOfSlot(RedisCluster.slotOf("victim"));
      var others =
          IntStream.range(0, 40)
              .mapToObj(i -> "u" + i)
              .filter(user -> cluster.primaryOfSlot(RedisCluster.slotOf(user)) != dead)
              .limit(10)
              .toList();
      dead.kill();
      Eventually.holds(
          "the failure policy decides",
          Duration.ofSeconds(60),
          () -> {
            for (var user : others) limiter.checkForResult(Subject.of(user));
            var result = limiter.checkForResult(Subject.of("victim"));
            return result.source() == Source.FALLBACK && !result.isAllowed();
          });
      Eventually.holds(
          "checks on other shards are allowed",
          Duration.ofSeconds(60),
          () -> limiter.checkForResult(Subject.of(others.getFirst())).isAllowed());
    }
  }
}
