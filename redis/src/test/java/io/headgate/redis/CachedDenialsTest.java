package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two instances and one server, through the public API. */
class CachedDenialsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Subject SUBJECT = Subject.of("user:42");
  private static RedisServer server;

  private RateLimiter first;
  private RateLimiter second;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void open() {
    server.call("FLUSHALL");
    first = limiter(TokenBucket.of(Rate.perHour(1)));
    second = limiter(TokenBucket.of(Rate.perHour(1)));
  }

  @AfterEach
  void close() {
    first.close();
    second.close();
  }

  @Test
  void repeatedDenialCausesNoRedisCommand() {
    assertThat(first.check(SUBJECT).isAllowed()).isTrue();
    awaitLocal(first);
    long before = commands();
    var result = first.checkForResult(Request.of(SUBJECT));
    assertThat(result.isAllowed()).isFalse();
    assertThat(result.source()).isEqualTo(Source.CACHE);
    assertThat(commands()).isEqualTo(before);
  }

  @Test
  void cachedDenialHasTheTimesOfTheStore() {
    first.check(SUBJECT);
    awaitLocal(first);
    var local = first.checkForResult(Request.of(SUBJECT)).limit().orElseThrow();
    var peeked = first.peek(Request.of(SUBJECT)).limit().orElseThrow();
    assertThat(local.remaining()).isEqualTo(peeked.remaining());
    assertThat(local.resetAfter()).isCloseTo(peeked.resetAfter(), Duration.ofSeconds(2));
  }

  @Test
  void resetByAnotherInstanceInvalidatesDenial() {
    first.check(SUBJECT);
    awaitLocal(first);
    second.reset(SUBJECT, "rule");
    Eventually.holds("allowed again", TIMEOUT, () -> first.check(SUBJECT).isAllowed());
  }

  /**
   * A cached denial expires after at most a second. One that ends earlier was invalidated; a busy
   * machine may need several attempts to show it.
   */
  @Test
  void publishedReturnInvalidatesDenialEarly() {
    boolean early = false;
    for (int attempt = 0; attempt < 50 && !early; attempt++) {
      first.check(SUBJECT);
      awaitLocal(first);
      first.reset(SUBJECT, "rule");
      first.check(SUBJECT);
      long sentAt = System.nanoTime();
      if (first.checkForResult(Request.of(SUBJECT)).source() != Source.STORE) continue;
      server.call("PUBLISH", "headgate:forgotten", "\u0001headgate:{user:42}rule");
      while (first.checkForResult(Request.of(SUBJECT)).source() == Source.CACHE)
        Thread.onSpinWait();
      early = System.nanoTime() - sentAt < 900_000_000;
    }
    assertThat(early).isTrue();
  }

  @Test
  void denialsOfHoldableLimitsAreNotCached() {
    var rule = Rule.named("rule").match("key", "user:*").limit(TokenBucket.of(Rate.perHour(1)));
    first.check(SUBJECT);
    awaitLocal(first);
    first.replaceRules(RuleSet.of(rule.consistency(Consistency.AUTO).build()));
    for (int i = 0; i < 3; i++) {
      assertThat(first.checkForResult(Request.of(SUBJECT)).source()).isEqualTo(Source.STORE);
    }
  }

  @Test
  void resetByThisInstanceInvalidatesDenialImmediately() {
    first.check(SUBJECT);
    awaitLocal(first);
    first.reset(SUBJECT, "rule");
    assertThat(first.check(SUBJECT).isAllowed()).isTrue();
  }

  @Test
  void changedLimitInvalidatesDenialImmediately() {
    first.check(SUBJECT);
    awaitLocal(first);
    first.replaceRules(rules(TokenBucket.of(Rate.perHour(10))));
    assertThat(first.checkForResult(Request.of(SUBJECT)).source()).isEqualTo(Source.STORE);
  }

  @Test
  void requestWithAnotherCostGoesToTheStore() {
    first.check(SUBJECT);
    awaitLocal(first);
    assertThat(first.checkForResult(Request.of(SUBJECT, 0)).source()).isEqualTo(Source.STORE);
    assertThat(first.checkForResult(Request.of(SUBJECT, 2)).source()).isEqualTo(Source.STORE);
  }

  @Test
  void denialsOfConcurrencyLimitsAreNotCached() {
    first.replaceRules(rules(new Concurrency(1, Duration.ofMinutes(1))));
    second.replaceRules(rules(new Concurrency(1, Duration.ofMinutes(1))));
    var slot = second.acquire(SUBJECT);
    for (int i = 0; i < 3; i++) {
      var result = first.checkForResult(Request.of(SUBJECT));
      assertThat(result.isAllowed()).isFalse();
      assertThat(result.source()).isEqualTo(Source.STORE);
    }
    slot.close();
    assertThat(first.check(SUBJECT).isAllowed()).isTrue();
  }

  @Test
  void flushOnTheServerTakesEffectWithinTheMaximumTtl() {
    first.replaceRules(rules(FixedWindow.of(Rate.perDay(1))));
    first.check(SUBJECT);
    awaitLocal(first);
    server.call("FLUSHALL");
    Eventually.holds("allowed again", TIMEOUT, () -> first.check(SUBJECT).isAllowed());
  }

  @Test
  void cachedDenialEndsAtItsRetryTime() {
    first.replaceRules(rules(TokenBucket.of(Rate.of(1, Duration.ofMillis(1_500)))));
    first.check(SUBJECT);
    awaitLocal(first);
    Eventually.holds("allowed again", TIMEOUT, () -> first.check(SUBJECT).isAllowed());
  }

  @Test
  void instancesAreCounted() {
    Eventually.holds(
        "two instances are counted", TIMEOUT, () -> ((RedisStore) first.store()).instances() >= 2);
  }

  private static void awaitLocal(RateLimiter limiter) {
    Eventually.holds(
        "denials are cached",
        TIMEOUT,
        () -> limiter.checkForResult(Request.of(SUBJECT)).source() == Source.CACHE);
  }

  private static long commands() {
    var info = server.call("INFO", "commandstats").text();
    var matcher = java.util.regex.Pattern.compile("cmdstat_get:calls=(\\d+)").matcher(info);
    long calls = 0;
    while (matcher.find()) calls += Long.parseLong(matcher.group(1));
    return calls;
  }

  private static RateLimiter limiter(Limit limit) {
    return RateLimiter.with(RedisStore.connect(server.uri()), rules(limit));
  }

  private static RuleSet rules(Limit limit) {
    return RuleSet.of(Rule.named("rule").match("key", "user:*").limit(limit).build());
  }
}
