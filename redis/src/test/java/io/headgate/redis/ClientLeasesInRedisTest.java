package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.ClientLease;
import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Permit leases of clients, by two instances that share a Redis server. */
class ClientLeasesInRedisTest {
  private static final Request ADA = Request.of(Subject.of("user:ada"));
  private static final RuleSet RULES =
      RuleSet.of(
          leased("hourly").limit(FixedWindow.of(Rate.perHour(1_000))).build(),
          leased("daily").limit(TokenBucket.of(Rate.perDay(5_000))).build());

  private static RedisServer server;
  private static RateLimiter one;
  private static RateLimiter two;

  private static Rule.Builder leased(String id) {
    return Rule.named(id).match("key", "user:*").consistency(Consistency.LEASED);
  }

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    one = limiter(RULES);
    two = limiter(RULES);
  }

  private static RateLimiter limiter(RuleSet rules) {
    // A deadline that a busy machine keeps.
    var options = RedisOptions.builder(server.uri()).deadline(Duration.ofSeconds(20)).build();
    return RateLimiter.with(RedisStore.connect(options), rules);
  }

  @AfterAll
  static void stop() {
    one.close();
    two.close();
    server.close();
  }

  @AfterEach
  void flush() {
    server.call("FLUSHALL");
  }

  private static ClientLease.Granted acquire(RateLimiter limiter, long checks) {
    var lease = limiter.leases().acquireAsync(ADA, checks).toCompletableFuture().join();
    if (lease instanceof ClientLease.Granted granted) return granted;
    throw new AssertionError(lease);
  }

  private static long remaining(RateLimiter limiter, int limit) {
    return limiter.peek(ADA).limits().get(limit).remaining();
  }

  @Test
  void anyInstanceRenewsAndReleasesALease() {
    var lease = acquire(one, 80);
    assertThat(lease.checks()).isEqualTo(80);
    assertThat(remaining(two, 0)).isEqualTo(920);
    assertThat(remaining(two, 1)).isEqualTo(4_920);
    var renewed = two.leases().renewAsync(lease.id(), ADA, 70, 50).toCompletableFuture().join();
    var next = (ClientLease.Granted) renewed;
    assertThat(next.checks()).isEqualTo(50);
    one.leases().releaseAsync(next.id(), ADA, 20).toCompletableFuture().join();
    assertThat(remaining(one, 0)).isEqualTo(910);
    assertThat(remaining(two, 1)).isEqualTo(4_910);
  }

  @Test
  void leaseOfALostClientCountsAsSpentAtItsEnd() {
    var rule =
        RuleSet.of(
            leased("short").limit(TokenBucket.of(Rate.of(100, Duration.ofSeconds(2)))).build());
    try (var limiter = limiter(rule)) {
      acquire(limiter, 10);
      Eventually.holds(
          "the lease ends, and its charge is repaid by the rate",
          Duration.ofSeconds(20),
          () -> remaining(limiter, 0) == 100);
    }
  }

  @Test
  void concurrentClientsLeaseNoMoreThanTheLimit() {
    long held = 0;
    for (int i = 0; i < 12; i++) {
      var limiter = i % 2 == 0 ? one : two;
      var lease = limiter.leases().acquireAsync(ADA, 100).toCompletableFuture().join();
      if (lease instanceof ClientLease.Granted granted) held += granted.checks();
    }
    assertThat(held).isEqualTo(1_000);
    assertThat(one.check(ADA).isAllowed()).isFalse();
  }
}
