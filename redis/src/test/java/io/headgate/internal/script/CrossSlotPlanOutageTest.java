package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.redis.RedisCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One of three primaries fails, with a limit per user and a shared limit. */
class CrossSlotPlanOutageTest {
  @Test
  void usersOfLivePrimariesAreDecidedByTheStore() throws Exception {
    var plenty = TokenBucket.of(Rate.perSecond(1_000_000));
    var rules =
        RuleSet.of(
            Rule.named("shared").per().limit(plenty).build(),
            Rule.named("each").match("user", "*").limit(plenty).build());
    try (var cluster = RedisCluster.start(3, 0, "--cluster-require-full-coverage", "no")) {
      var options = RedisOptions.builder(cluster.uri()).deadline(Duration.ofSeconds(5)).build();
      try (var limiter = RateLimiter.with(RedisStore.connect(options), rules)) {
        var shared = cluster.primaryOfSlot(RedisCluster.slotOf("*"));
        var dead =
            cluster.nodes().stream().filter(node -> node != shared).findFirst().orElseThrow();
        List<String> available = new ArrayList<>();
        List<String> unavailable = new ArrayList<>();
        for (int i = 0; available.size() < 100 || unavailable.size() < 50; i++) {
          var owner = cluster.primaryOfSlot(RedisCluster.slotOf("u" + i));
          (owner == dead ? unavailable : available).add("u" + i);
        }
        for (var user : available) limiter.checkForResult(request(user));
        for (var user : unavailable) limiter.checkForResult(request(user));
        dead.kill();
        for (var user : unavailable) {
          assertThat(limiter.checkForResult(request(user)).source()).isEqualTo(Source.FALLBACK);
        }
        long store = available.stream().filter(user -> isDecidedByStore(limiter, user)).count();
        // A range of slots may belong to two primaries; few do.
        assertThat(store).isGreaterThan(available.size() * 9L / 10);
      }
    }
  }

  private static boolean isDecidedByStore(RateLimiter limiter, String user) {
    return limiter.checkForResult(request(user)).source() != Source.FALLBACK;
  }

  private static Request request(String user) {
    return Request.of(Subject.of("user", user));
  }
}
