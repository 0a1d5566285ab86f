package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Combine;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.redis.RedisCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Many threads compete for the last permits of plans that span slots, where a limit may refuse
 * without denying the request: the number admitted is the number charged.
 */
class CrossSlotPlanExactnessTest {
  private static final int THREADS = 32;
  private static final Request REQUEST = Request.of(Subject.of(Map.of("user", "u1")));
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(3, 0);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void flush() {
    cluster.nodes().forEach(node -> node.call("FLUSHALL"));
  }

  @Test
  void refusingShadowRuleKeepsChargesOfEnforcedRules() throws Exception {
    var shared = Rule.named("shared").per().limit(TokenBucket.of(Rate.perDay(1_000)));
    var shadow = Rule.named("each").match("user", "*").mode(Mode.SHADOW);
    var rules =
        RuleSet.of(
            shared.build(),
            shadow.limit(TokenBucket.of(Rate.perSecond(1_000)).withBurst(1)).build());
    assertThat(admitted(rules)).isEqualTo(1_000);
  }

  @Test
  void anyAdmitsTheSumOfItsLimits() throws Exception {
    var rules =
        RuleSet.of(
            Rule.named("overflow")
                .match("user", "*")
                .combine(new Combine.Any())
                .limit(RuleLimit.of("own", TokenBucket.of(Rate.perDay(300))))
                .limit(RuleLimit.of("shared", TokenBucket.of(Rate.perDay(500))).withPer())
                .build());
    assertThat(admitted(rules)).isEqualTo(800);
  }

  /** Half of the weight suffices, so one limit suffices; both are charged if both pass. */
  @Test
  void weightedChargesEveryLimitThatPasses() throws Exception {
    var rules =
        RuleSet.of(
            Rule.named("weighted")
                .match("user", "*")
                .combine(new Combine.Weighted(500))
                .limit(RuleLimit.of("own", FixedWindow.of(Rate.perDay(300))))
                .limit(RuleLimit.of("shared", FixedWindow.of(Rate.perDay(500))).withPer())
                .build());
    // A request charges both limits or, while another holds the last permit of one, just the other.
    assertThat(admitted(rules)).isBetween(500L, 800L);
  }

  /** Returns the number of admitted requests until every limit is exhausted. */
  private static long admitted(RuleSet rules) throws Exception {
    var options = RedisOptions.builder(cluster.uri()).deadline(Duration.ofSeconds(20)).build();
    var admitted = new AtomicLong();
    try (var limiter = RateLimiter.with(RedisStore.connect(options), rules)) {
      limiter.peek(REQUEST);
      try (var pool = Executors.newFixedThreadPool(THREADS)) {
        var ended = new ArrayList<Future<?>>();
        for (int thread = 0; thread < THREADS; thread++) {
          ended.add(
              pool.submit(() -> {
                for (int denied = 0; denied < 20; ) {
                  if (isAdmitted(limiter)) admitted.incrementAndGet();
                  else denied++;
                }
              }));
        }
        for (var end : ended) end.get(60, TimeUnit.SECONDS);
      }
      // Permits that competing plans gave back last may be left: one caller uses the rest.
      for (int denied = 0; denied < 20; ) {
        if (isAdmitted(limiter)) admitted.incrementAndGet();
        else denied++;
      }
    }
    return admitted.get();
  }

  private static boolean isAdmitted(RateLimiter limiter) {
    var result = limiter.checkForResult(REQUEST);
    assertThat(result.source()).isNotEqualTo(Source.FALLBACK);
    return result.isAllowed();
  }
}
