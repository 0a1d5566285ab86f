package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Requests that a failure policy decided are not charged later, except those already sent. */
class LateChargesTest {
  private static final int LIMIT = 10_000;
  private static final int REQUESTS = 500;
  private static final int MAX_CALLS_IN_FLIGHT = 4;
  private static final Request REQUEST = Request.of(Subject.of("user:42"));
  private static final RuleSet RULES =
      RuleSet.of(
          Rule.named("r")
              .match("key", "user:*")
              .onStoreFailure(new Allow())
              .limit(FixedWindow.of(Rate.perDay(LIMIT)))
              .build());

  @Test
  void queuedRequestsToPausedServerAreNeverSent() throws Exception {
    try (var server = RedisServer.start();
        var store = RedisStore.connect(server.uri())) {
      var limiter = RateLimiter.with(store, RULES);
      awaitUsed(limiter);
      server.pause();
      var results = new ArrayList<CompletableFuture<CheckResult>>();
      for (int i = 0; i < REQUESTS; i++) {
        results.add(limiter.checkForResultAsync(REQUEST).toCompletableFuture());
      }
      for (var result : results) {
        assertThat(result.get(20, TimeUnit.SECONDS).source()).isEqualTo(Source.FALLBACK);
      }
      server.resume();
      assertThat(awaitUsed(limiter))
          .as("requests that were sent immediately")
          .isEqualTo(MAX_CALLS_IN_FLIGHT);
      assertThat(store.isIdle()).isTrue();
    }
  }

  /** With its default settings Lettuce would resend requests without a reply. */
  @Test
  void unansweredRequestIsNotResentAfterRestart() throws Exception {
    try (var server = RedisServer.start();
        var store = RedisStore.connect(server.uri())) {
      var limiter = RateLimiter.with(store, RULES);
      awaitUsed(limiter);
      server.pause();
      var first = limiter.checkForResultAsync(REQUEST).toCompletableFuture();
      assertThat(first.get(20, TimeUnit.SECONDS).source()).isEqualTo(Source.FALLBACK);
      server.restart();
      assertThat(awaitUsed(limiter)).isZero();
    }
  }

  private static long awaitUsed(RateLimiter limiter) {
    var used = new ArrayList<Long>();
    Eventually.holds(
        "the store decides",
        Duration.ofSeconds(20),
        () -> {
          var result = limiter.peek(Request.of(REQUEST.subject(), 0));
          used.add(LIMIT - result.limits().getFirst().remaining());
          return result.source() == Source.STORE;
        });
    return used.getLast();
  }
}
