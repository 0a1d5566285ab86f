package io.headgate.internal.script;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.ReservationState;
import io.headgate.ReservedLimit;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import io.headgate.testkit.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The highest rates, capacities and costs are counted as exactly in Redis as in memory. */
class ExactBoundsTest {
  private static final long MOST = Request.MAX_COST - 1;
  private static final Subject SUBJECT = Subject.of("k");

  private static TestServer redis;

  private final ManualTicker clock = ManualTicker.create();

  @BeforeAll
  static void start() {
    redis = TestServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void flush() {
    redis.flush();
  }

  private static Rate perMicro(long permits) {
    return Rate.of(permits, Duration.of(1, MICROS));
  }

  static Stream<Limit> limits() {
    return Stream.of(
        FixedWindow.of(Rate.of(MOST, Duration.ofDays(1))),
        SlidingWindow.of(Rate.of((1L << 53) / 360_000_000, Duration.ofHours(1))),
        new TokenBucket(perMicro(444_000), 1_000_000),
        new TokenBucket(perMicro(MOST), MOST),
        new TokenBucket(Rate.of(7, Duration.of(60, MICROS)), 10),
        new TokenBucket(Rate.of(1, Duration.ofDays(1)), 36_525));
  }

  /** Does the same in memory and in Redis, and requires the same of each operation. */
  private void both(Limit limit, Function<RateLimiter, List<?>> operations) {
    var rules = RuleSet.of(Rule.named("r").match("key", "*").limit(limit).build());
    try (var memory = RateLimiter.with(MemoryStore.create(clock, 100), rules, clock);
        var script = RateLimiter.with(redis.executor("headgate:", clock), rules, clock)) {
      assertThat(operations.apply(script)).isEqualTo(operations.apply(memory));
    }
  }

  private static Request cost(long cost) {
    return Request.of(SUBJECT, cost);
  }

  private static List<Long> check(RateLimiter limiter, long cost) {
    var result = limiter.checkForResult(cost(cost));
    var limit = result.limits().getFirst();
    return List.of(result.isAllowed() ? 1L : 0, limit.remaining(), limit.resetAfter().toNanos());
  }

  private static List<ReservedLimit> limits(ReservationState state) {
    return ((ReservationState.Settled) state).limits();
  }

  @ParameterizedTest
  @MethodSource("limits")
  void lastPermitsAreCountedOneByOne(Limit limit) {
    long all = limit.capacity();
    both(
        limit,
        limiter ->
            List.of(
                check(limiter, Math.min(all - 2, Request.MAX_COST)),
                check(limiter, 1),
                check(limiter, 2),
                check(limiter, Request.MAX_COST),
                check(limiter, 1),
                check(limiter, 1)));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void settlementsOfTheHighestCostsAreExact(Limit limit) {
    both(
        limit,
        limiter -> {
          var first = limiter.reserve(cost(3));
          var second = limiter.reserve(cost(limit.capacity() - 3));
          return List.of(
              limits(first.settle(Costs.plain(1))),
              limits(second.settle(Costs.plain(Request.MAX_COST))),
              check(limiter, 0));
        });
  }

  /** Usage beyond the capacity that a bucket repays within the last microsecond of its time. */
  @ParameterizedTest
  @MethodSource("limits")
  void settlementBesideUsageBeyondTheLimitLeavesNothing(Limit limit) {
    both(
        limit,
        limiter -> {
          var reservation = limiter.reserve(cost(3));
          long more = limit.capacity() + limit.capacity() / 4 - 3;
          limiter.charge(cost(Math.min(more, Request.MAX_COST)));
          var left = limits(reservation.settle(Costs.plain(2)));
          assertThat(left.getFirst().remaining()).isNotNegative();
          return List.of(left, check(limiter, 1));
        });
  }

  @Test
  void noLimitAllowsTheHighestCost() {
    var limit = FixedWindow.of(Rate.of(MOST, Duration.ofDays(1)));
    both(limit, limiter -> List.of(check(limiter, 1), check(limiter, Request.MAX_COST)));
  }
}
