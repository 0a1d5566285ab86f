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
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Failure policies apply to leased and eventual rules as to strict ones. */
class ConsistencyModesOutageTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Request HOT = Request.of(Subject.of("hot"));

  @ParameterizedTest
  @CsvSource({"LEASED, kill", "LEASED, pause", "EVENTUAL, kill", "EVENTUAL, pause"})
  void failurePolicyDecidesUntilRedisRecovers(Consistency consistency, String fault) {
    var rule =
        Rule.named("r")
            .per("key")
            .limit(TokenBucket.of(Rate.perSecond(100_000)))
            .consistency(consistency)
            .onStoreFailure(new FailurePolicy.Deny())
            .build();
    try (var server = RedisServer.start();
        var limiter = RateLimiter.with(RedisStore.connect(server.uri()), RuleSet.of(rule))) {
      var localSource = consistency == Consistency.LEASED ? Source.LEASE : Source.CACHE;
      awaitSource(limiter, localSource, true);
      if (fault.equals("kill")) server.kill();
      else server.pause();
      awaitSource(limiter, Source.FALLBACK, false);
      if (fault.equals("kill")) server.restart();
      else server.resume();
      awaitSource(limiter, localSource, true);
    }
    Eventually.holds("no thread is left", TIMEOUT, () -> Threads.ours().isEmpty());
  }

  private static void awaitSource(RateLimiter limiter, Source source, boolean allowed) {
    Eventually.holds(
        "the source of decisions is " + source,
        TIMEOUT,
        () -> {
          for (int i = 0; i < 100; i++) limiter.checkForResult(HOT);
          var result = limiter.checkForResult(HOT);
          return result.source() == source && result.isAllowed() == allowed;
        });
    assertThat(limiter.checkForResult(HOT).isAllowed()).isEqualTo(allowed);
  }
}
