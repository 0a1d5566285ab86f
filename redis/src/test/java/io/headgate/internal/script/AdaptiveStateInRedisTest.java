package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.TestEffort;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The key of an adaptive limit: the slots in flight and what was learned, with one expiry. */
class AdaptiveStateInRedisTest {
  private static final AdaptiveConcurrency LIMIT =
      new AdaptiveConcurrency(2, 50, 10, Duration.ofMinutes(1));
  private static final CompletedCall DROPPED = new CompletedCall(CallOutcome.DROPPED, 1_000);

  private static final String KEY = "h:{k}rule";

  private static TestServer redis;
  private static ScriptExecutor executor;
  private static long holder;

  @BeforeAll
  static void start() {
    redis = TestServer.start();
    executor = redis.executor("h:");
  }

  @AfterAll
  static void stop() {
    executor.close();
    redis.close();
  }

  @BeforeEach
  void flush() {
    redis.flush();
  }

  private static Plan plan(Limit limit, long cost) {
    var rules = RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
    return rules.plan(Request.of(Subject.of("k"), cost), 0, ++holder);
  }

  private static void complete(CompletedCall call) {
    var plan = plan(LIMIT, 1);
    assertThat(executor.decide(plan).first()).isInstanceOf(Passed.class);
    assertThat(executor.release(plan.charges().getFirst(), call)).isTrue();
  }

  private static long ttl() {
    return redis.server().call("PTTL", KEY).number();
  }

  @Test
  void learnedLimitIsInTheKeyOfTheSlotsAndExpiresAfterItsRetention() {
    var plan = plan(LIMIT, 1);
    executor.decide(plan);
    assertThat(ttl()).isBetween(1L, 65_000L);
    complete(DROPPED);
    assertThat(redis.server().call("DBSIZE").number()).isEqualTo(1);
    assertThat(ttl()).isBetween(590_000L, 604_000L);
    assertThat(executor.release(plan.charges().getFirst())).isTrue();
    assertThat(ttl()).as("kept without slots").isBetween(590_000L, 604_000L);
    executor.decide(plan(LIMIT, 1));
    assertThat(ttl()).as("not shortened by a charge").isBetween(590_000L, 604_000L);
  }

  @Test
  void slotsFromWhichNothingWasLearnedLeaveNoKey() {
    var plan = plan(LIMIT, 2);
    executor.decide(plan);
    assertThat(executor.release(plan.charges().getFirst())).isTrue();
    assertThat(redis.server().call("DBSIZE").number()).isZero();
  }

  @Test
  void evictedStateStartsAtTheInitialLimit() {
    for (int i = 0; i < 300; i++) complete(DROPPED);
    assertThat(executor.peek(plan(LIMIT, 0)).first().limit()).isLessThan(10);
    redis.server().call("DEL", KEY);
    assertThat(executor.peek(plan(LIMIT, 0)).first()).isEqualTo(new Passed(10, 0, 0, 10));
  }

  @Test
  void manyReportsNeedNoMoreMemoryThanOne() {
    var outcomes = List.of(CallOutcome.values());
    for (int i = 0; i < TestEffort.of(2_000, 10_000); i++) {
      long duration = i % 3 == 0 ? CompletedCall.MAX_MICROS : i;
      complete(new CompletedCall(outcomes.get(i % 3), duration));
    }
    assertThat(executor.peek(plan(LIMIT, 0)).first().limit()).isBetween(2L, 50L);
    assertThat(redis.server().call("ZCARD", KEY).number()).isEqualTo(1);
    assertThat(redis.server().call("MEMORY", "USAGE", KEY).number()).isLessThan(1_500);
  }

  @Test
  void slotsStayInFlightWhenTheLimitBecomesConstantAndAdaptiveAgain() {
    for (int i = 0; i < 8; i++) executor.decide(plan(LIMIT, 1));
    assertThat(executor.decide(plan(Concurrency.of(8), 1)).first()).isInstanceOf(Refused.class);
    assertThat(executor.decide(plan(LIMIT, 1)).first().remaining()).isEqualTo(1);
    assertThat(ttl()).isPositive();
    // Eight of ten slots are taken over as four fifths of the bucket.
    executor.decide(plan(LIMIT, 0));
    var bucket = executor.decide(plan(TokenBucket.of(Rate.perHour(1_000)), 0)).first();
    assertThat(bucket.remaining()).isBetween(99L, 101L);
    assertThat(ttl()).isPositive();
  }

  @Test
  void peekAndReleaseOfAnUnknownSlotWriteNothing() {
    executor.peek(plan(LIMIT, 1));
    assertThat(executor.release(plan(LIMIT, 1).charges().getFirst(), DROPPED)).isFalse();
    assertThat(redis.server().call("DBSIZE").number()).isZero();
    redis.server().call("SET", KEY, "no MessagePack");
    assertThat(executor.release(plan(LIMIT, 1).charges().getFirst(), DROPPED)).isFalse();
  }
}
