package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FaultProxy;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Redis executes requests whose replies take longer than the deadline: the limit is not exceeded,
 * and in the end Redis is charged what was admitted. A process that is stalled may wait for a reply
 * after all, so the tests assert nothing about the source of one decision.
 */
class LateRepliesTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration DEADLINE = Duration.ofMillis(100);
  private static final Duration ONE_WAY = Duration.ofMillis(150);
  private static final int LIMIT = 30;
  private static final int BEFORE = 27;
  private static final int LATE = 10;
  private static final int ATTEMPTS = 20;

  static List<Limit> limits() {
    var rate = Rate.perDay(LIMIT);
    return List.of(
        FixedWindow.of(rate),
        TokenBucket.of(rate),
        RollingWindow.of(rate),
        LeakyBucket.of(rate).withQueue(LIMIT - 1));
  }

  private static RateLimiter limiter(RedisStore store, Limit limit) {
    return RateLimiter.with(
        store, RuleSet.of(Rule.named("r").match("key", "user:*").limit(limit).build()));
  }

  private static RedisStore connect(FaultProxy proxy) {
    var uri = "redis://127.0.0.1:" + proxy.port();
    return RedisStore.connect(RedisOptions.builder(uri).deadline(DEADLINE).warmUpCalls(0).build());
  }

  /** With a local share, each of the late requests would have been admitted. */
  @ParameterizedTest
  @MethodSource("limits")
  void lateRequestsSpendWhatRedisLastReported(Limit limit) throws Exception {
    var request = Request.of(Subject.of("user:42"));
    try (var server = RedisServer.start();
        var proxy = FaultProxy.to(server.port());
        var store = connect(proxy)) {
      var limiter = limiter(store, limit);
      awaitStore(limiter, request);
      int admitted = 0;
      for (int i = 0; i < BEFORE; i++) if (limiter.checkForResult(request).isAllowed()) admitted++;
      proxy.delay(ONE_WAY);
      var late = new ArrayList<CompletableFuture<CheckResult>>();
      for (int i = 0; i < LATE; i++) {
        late.add(limiter.checkForResultAsync(request).toCompletableFuture());
      }
      for (var one : late) if (one.get(60, TimeUnit.SECONDS).isAllowed()) admitted++;
      assertThat(admitted).isEqualTo(LIMIT);
      Eventually.holds("no reply is missing", TIMEOUT, store::isIdle);
      proxy.pass();
      Eventually.holds(
          "Redis is charged what was admitted",
          TIMEOUT,
          () -> {
            var result = limiter.peek(Request.of(request.subject(), 0));
            return result.source() == Source.STORE && result.limits().getFirst().remaining() == 0;
          });
    }
  }

  /** Another instance spends the rest: what this one admits meanwhile is charged afterwards. */
  @Test
  void admissionThatRedisDeniedIsCharged() throws Exception {
    var limit = TokenBucket.of(Rate.perHour(3_600)).withBurst(100);
    try (var server = RedisServer.start();
        var proxy = FaultProxy.to(server.port());
        var store = connect(proxy);
        var direct = RedisStore.connect(server.uri())) {
      var limiter = limiter(store, limit);
      var other = limiter(direct, limit);
      for (int attempt = 1; ; attempt++) {
        assertThat(attempt).as("attempts with a late reply").isLessThan(ATTEMPTS);
        var subject = Subject.of("user:" + attempt);
        proxy.pass();
        awaitStore(limiter, Request.of(subject));
        var first = limiter.checkForResult(Request.of(subject));
        proxy.delay(ONE_WAY);
        var rest = other.checkForResult(Request.of(subject, 95));
        var late =
            limiter
                .checkForResultAsync(Request.of(subject, 40))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        if (first.source() != Source.STORE
            || rest.source() != Source.STORE
            || late.source() != Source.CACHE) {
          continue;
        }
        assertThat(late.isAllowed()).isTrue();
        proxy.pass();
        // A debt of 36 permits, one of which is repaid each second.
        Eventually.holds(
            "Redis is charged for the admission",
            TIMEOUT,
            () -> !other.peek(Request.of(subject)).isAllowed());
        return;
      }
    }
  }

  private static void awaitStore(RateLimiter limiter, Request request) {
    Eventually.holds(
        "Redis decides", TIMEOUT, () -> limiter.peek(request).source() == Source.STORE);
  }
}
