package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Bucket;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.PlanResult;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.Limits;
import io.headgate.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stored states and their expiry, with the server's clock. */
class StateInRedisTest {
  private static final long GRACE_MILLIS = 3_000;
  private static final String KEY = "h:{k}rule";
  private static TestServer redis;
  private static ScriptExecutor executor;

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
    redis.server().call("CONFIG", "RESETSTAT");
  }

  static Stream<Limit> everyAlgorithm() {
    return Limits.ofEveryKind(4).stream();
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void everyStateExpiresAfterItBecomesFresh(Limit limit) {
    for (int i = 0; i < 3; i++) {
      long reset = executor.decide(plan(limit, 1)).first().resetAfter() / 1_000;
      assertThat(redis.server().call("PTTL", KEY).number()).isBetween(reset, latest(limit, reset));
    }
  }

  /**
   * Returns the latest expiry: buckets and rolling windows have spare time for further charges.
   *
   * @param reset rounded down to milliseconds
   */
  private static long latest(Limit limit, long reset) {
    long spare = Bucket.of(limit) == null ? 0 : Math.ceilDiv(reset + 1, 4);
    if (limit instanceof RollingWindow) spare = limit.window() / 1_000 / 8 + GRACE_MILLIS;
    return reset + 1 + Math.max(GRACE_MILLIS, spare) + 1_000;
  }

  @Test
  void expiryIsExtendedRarelyAndNeverTooEarly() {
    var limit = TokenBucket.of(Rate.perMinute(60)).withBurst(1_000);
    var ends = new HashSet<Long>();
    for (int i = 0; i < 400; i++) {
      long reset = executor.decide(plan(limit, 1)).first().resetAfter() / 1_000;
      assertThat(redis.server().call("PTTL", KEY).number()).isBetween(reset, latest(limit, reset));
      ends.add(redis.server().call("EXPIRETIME", KEY).number());
    }
    assertThat(ends).hasSizeBetween(2, 60);
  }

  @ParameterizedTest
  @MethodSource("windows")
  void expiryOfWindowIsWrittenOncePerWindow(Limit limit) {
    for (int i = 0; i < 50; i++) executor.decide(plan(limit, 1));
    var calls = redis.server().call("INFO", "commandstats").text();
    assertThat(calls)
        .containsPattern("cmdstat_set:calls=1,")
        .contains("cmdstat_setrange:calls=49,");
  }

  static Stream<Limit> windows() {
    var rate = Rate.of(1_000, Duration.ofDays(1));
    return Stream.of(FixedWindow.of(rate), SlidingWindow.of(rate));
  }

  /** The rule counted slots before: one batch charges the bucket and releases the last slot. */
  @Test
  void releasingTheLastSlotKeepsTheBucketThatReplacedIt() {
    long now = 1_800_000_000_000_000L;
    var atNow = redis.executor("h:", () -> now);
    var slots = plan(Concurrency.of(5), 1);
    atNow.decide(slots);
    var bucket = TokenBucket.of(Rate.perHour(60));
    var batch = new Batch(new CounterKeys("h:"), LimitFormat.NUMBERS);
    new ScriptCommand.PlanCommand(plan(bucket, 1), true, back -> {}).writeTo(batch);
    ScriptCommand.slotOperation(slots.charges().getFirst(), ScriptCommand.SlotOperation.RELEASE)
        .writeTo(batch);
    redis.decide(batch, now);
    // One of five slots is taken over as a fifth of the bucket, rounded up; one permit is charged.
    assertThat(atNow.peek(plan(bucket, 0)).first().remaining()).isEqualTo(60 - 13 - 1);
    atNow.close();
  }

  @Test
  void emptiedWindowIsKeptToItsEndWhenChargedAgain() {
    for (var limit : windows().toList()) {
      redis.flush();
      var plan = plan(limit, 1);
      executor.giveBack(TestCharges.make(executor, plan));
      for (int i = 0; i < 3; i++) {
        long reset = executor.decide(plan(limit, 1)).first().resetAfter() / 1_000;
        assertThat(redis.server().call("PTTL", KEY).number()).as("%s", limit).isGreaterThan(reset);
      }
    }
  }

  /** Runs for longer than the grace period of a state, so that its expiry must be extended. */
  @Test
  void stateInUseDoesNotExpire() {
    var second = Duration.ofSeconds(1);
    var rules =
        Stream.of(
                Rule.named("sliding").limit(SlidingWindow.of(Rate.of(900, second))),
                Rule.named("fixed").limit(FixedWindow.of(Rate.of(900, second))),
                Rule.named("bucket").limit(TokenBucket.of(Rate.perSecond(30)).withBurst(900)),
                Rule.named("rolling").limit(RollingWindow.of(Rate.of(900, second))),
                Rule.named("slots").limit(Concurrency.of(900).withLease(second)),
                Rule.named("three")
                    .limit(
                        RuleLimit.of("bucket", TokenBucket.of(Rate.perSecond(900))).withPer("key"))
                    .limit(
                        RuleLimit.of("fixed", FixedWindow.of(Rate.of(900, second))).withPer("key"))
                    .limit(
                        RuleLimit.of("rolling", RollingWindow.of(Rate.of(900, second)))
                            .withPer("key")),
                Rule.named("both")
                    .limit(
                        RuleLimit.of("fixed", FixedWindow.of(Rate.of(900, second))).withPer("key"))
                    .limit(
                        RuleLimit.of("sliding", SlidingWindow.of(Rate.of(900, second)))
                            .withPer("key")))
            .map(rule -> RuleSet.of(rule.match("key", "*").build()))
            .toList();
    long begin = micros();
    for (long now = begin, next = begin; now - begin < 5_500_000; now = micros()) {
      if (now < next) {
        LockSupport.parkNanos(1_000 * (next - now));
        continue;
      }
      next = now + 50_000;
      for (var rule : rules) {
        var plan = rule.plan(Request.of(Subject.of("k")), 0, ++holder);
        var outcomes = executor.decide(plan).outcomes();
        for (int i = 0; i < outcomes.size(); i++) {
          var charge = plan.charges().get(i);
          var key = new CounterKeys("h:").of(charge.counter(), charge.key());
          long end = micros() + redis.server().call("PTTL", key).number() * 1_000;
          assertThat(end).as(key).isGreaterThan(now + outcomes.get(i).resetAfter());
        }
      }
    }
  }

  private static long micros() {
    var time = redis.server().call("TIME").items();
    return Long.parseLong(time.getFirst().text()) * 1_000_000
        + Long.parseLong(time.getLast().text());
  }

  @Test
  void expiryMovesForwardWhenStateIsFreshSooner() {
    executor.decide(plan(TokenBucket.of(Rate.perDay(1)).withBurst(100), 50));
    assertThat(redis.server().call("PTTL", KEY).number())
        .isGreaterThan(Duration.ofDays(50).toMillis());
    var limit = FixedWindow.of(Rate.of(100, Duration.ofSeconds(10)));
    executor.decide(plan(limit, 1));
    assertThat(redis.server().call("PTTL", KEY).number()).isBetween(0L, latest(limit, 10_000));
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void peekStoresNothing(Limit limit) {
    executor.peek(plan(limit, 1));
    assertThat(redis.server().call("DBSIZE").number()).isZero();
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void changedAlgorithmKeepsAnExpiry(Limit limit) {
    for (var other : Limits.ofEveryKind(8)) {
      executor.decide(plan(limit, 1));
      executor.decide(plan(other, 0));
      if (redis.server().call("EXISTS", KEY).number() == 1) {
        assertThat(redis.server().call("PTTL", KEY).number()).as("%s", other).isPositive();
      }
    }
  }

  @Test
  void stateOfIdleCallerExpires() {
    executor.decide(plan(TokenBucket.of(Rate.perSecond(1_000)), 1));
    assertThat(redis.server().call("DBSIZE").number()).isOne();
    Eventually.holds(
        "the key has expired",
        Duration.ofSeconds(20),
        () -> redis.server().call("DBSIZE").number() == 0);
  }

  @Test
  void releasedSlotsLeaveNoKey() {
    var plan = plan(Concurrency.of(3).withLease(Duration.ofMinutes(1)), 2);
    executor.decide(plan);
    assertThat(executor.release(plan.charges().getFirst())).isTrue();
    assertThat(redis.server().call("DBSIZE").number()).isZero();
  }

  /** Two instances may have different leases while a rule changes. */
  @Test
  void slotWithAShorterLeaseKeepsTheExpiryOfALongerOne() {
    executor.decide(plan(Concurrency.of(9).withLease(Duration.ofMinutes(10)), 1));
    var outcome = executor.decide(plan(Concurrency.of(9).withLease(Duration.ofSeconds(1)), 1));
    assertThat(outcome.first().remaining()).isEqualTo(7);
    long reset = outcome.first().resetAfter() / 1_000;
    assertThat(reset).isGreaterThan(500_000);
    assertThat(redis.server().call("PTTL", KEY).number()).isGreaterThan(reset);
  }

  @Test
  void slotsOfOneRequestAreRenewedAndReleasedTogether() {
    var plan = plan(Concurrency.of(5).withLease(Duration.ofMinutes(1)), 4);
    executor.decide(plan);
    assertThat(executor.renew(plan.charges().getFirst())).isTrue();
    assertThat(executor.decide(plan(Concurrency.of(5).withLease(Duration.ofMinutes(1)), 2)).first())
        .isInstanceOf(Refused.class);
    assertThat(executor.release(plan.charges().getFirst())).isTrue();
    assertThat(executor.decide(plan(Concurrency.of(5).withLease(Duration.ofMinutes(1)), 5)).first())
        .isInstanceOf(Passed.class);
  }

  @Test
  void rollingWindowStaysSortedWhenTotalsGrowByADigit() {
    var limit = RollingWindow.of(Rate.perMinute(10));
    var clock = ManualTicker.create();
    var time = Long.toString(clock.micros());
    redis
        .server()
        .call("ZADD", KEY, "-1", "R60000000:10", time, "9999999995:3", time, "9999999997:2");
    try (var stopped = redis.executor("h:", clock)) { // all requests are in one microsecond
      assertThat(stopped.decide(plan(limit, 3)).first().remaining()).isEqualTo(2);
      assertThat(redis.server().call("ZRANGE", KEY, "-1", "-1").toString())
          .contains("10000000000:3");
      assertThat(stopped.decide(plan(limit, 2)).first().remaining()).isZero();
      assertThat(stopped.decide(plan(limit, 1)).first()).isInstanceOf(Refused.class);
    }
  }

  @Test
  void costAboveCapacityDoesNoWork() {
    var limit = Concurrency.of(100_000).withLease(Duration.ofMinutes(1));
    assertThat(executor.decide(plan(limit, 100_000)).first())
        .isEqualTo(new ExceedsCapacity(100_000, 0, 100_000, Concurrency.MAX_COST));
    assertThat(redis.server().call("INFO", "commandstats").text()).doesNotContain("cmdstat_zadd");
  }

  @Test
  void slotsOfOneRequestAreHandledInFewCommands() {
    var limit = Concurrency.of(100_000).withLease(Duration.ofMinutes(1));
    var plan = plan(limit, Concurrency.MAX_COST);
    assertThat(executor.decide(plan).first().remaining()).isEqualTo(99_000);
    assertThat(executor.renew(plan.charges().getFirst())).isTrue();
    assertThat(redis.server().call("ZCOUNT", KEY, "0", "+inf").number()).isEqualTo(1_000);
    assertThat(executor.release(plan.charges().getFirst())).isTrue();
    assertThat(redis.server().call("DBSIZE").number()).isZero();
    var calls = redis.server().call("INFO", "commandstats").text();
    assertThat(calls)
        .contains("cmdstat_zadd:calls=21,") // its signature, and a hundred members at a time, twice
        .contains("cmdstat_zrem:calls=10,")
        .containsPattern("cmdstat_zscore:calls=\\d\\d,"); // bisection
  }

  @Test
  void batchEndsEarlyWhenRequestsTakeManySlots() throws Exception {
    var limit = Concurrency.of(100_000).withLease(Duration.ofMinutes(1));
    var decided = new ArrayList<CompletableFuture<PlanResult>>();
    for (int i = 0; i < 64; i++) {
      decided.add(executor.decideAsync(plan(limit, 500)).toCompletableFuture());
    }
    CompletableFuture.allOf(decided.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    var calls = redis.server().call("INFO", "commandstats").text();
    long batches =
        Pattern.compile("cmdstat_evalsha:calls=(\\d+),")
            .matcher(calls)
            .results()
            .mapToLong(found -> Long.parseLong(found.group(1)))
            .sum();
    assertThat(batches).isGreaterThanOrEqualTo(32);
  }

  /** Expired members of a set are removed once in 8 permits. */
  @Test
  void rollingWindowKeepsFewExpiredMembers() {
    var limit = RollingWindow.of(Rate.of(100, Duration.ofSeconds(1)));
    var clock = ManualTicker.create();
    var now = Long.toString(clock.micros());
    redis.server().call("ZADD", KEY, "-1", "R1000000:100", now, "1000000001");
    try (var manual = redis.executor("h:", clock)) {
      for (int i = 0; i < 1_000; i++) {
        clock.advance(Duration.ofMillis(20));
        assertThat(manual.decide(plan(limit, 1 + i % 2)).first()).isInstanceOf(Passed.class);
        assertThat(redis.server().call("ZCARD", KEY).number()).isLessThanOrEqualTo(1 + 50 + 8);
      }
    }
  }

  @Test
  void expiredRollingWindowIsRemovedInBoundedSteps() {
    var limit = RollingWindow.of(Rate.of(10_000, Duration.ofSeconds(10)));
    var members = new ArrayList<>(List.of("ZADD", KEY, "-1", "R10000000:10000"));
    for (int i = 1; i <= 2_500; i++) {
      members.addAll(List.of(Long.toString(1_000_000 + i), Integer.toString(1_000_000_000 + i)));
    }
    redis.server().call(members.toArray(String[]::new));
    executor.decide(plan(limit, 1));
    assertThat(redis.server().call("ZCOUNT", KEY, "0", "2000000").number()).isEqualTo(1_500);
    for (long left : new long[] {500, 0}) { // once in 8 permits
      for (int i = 0; i < 8; i++) executor.decide(plan(limit, 1));
      assertThat(redis.server().call("ZCOUNT", KEY, "0", "2000000").number()).isEqualTo(left);
    }
    assertThat(executor.decide(plan(limit, 1)).first().remaining()).isEqualTo(10_000 - 18);
  }

  /** Regression test: replacing the signature of an otherwise empty set lost the expiry. */
  @Test
  void changedConcurrencyMaxKeepsTheExpiry() {
    executor.decide(plan(Concurrency.of(3).withLease(Duration.ofMillis(10)), 1));
    Eventually.holds(
        "the slot has expired",
        Duration.ofSeconds(10),
        () ->
            executor
                    .peek(plan(Concurrency.of(3).withLease(Duration.ofMillis(10)), 0))
                    .first()
                    .remaining()
                == 3);
    executor.decide(plan(Concurrency.of(5).withLease(Duration.ofMillis(10)), 0));
    assertExpires("a changed max");
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void everyChangeKeepsAnExpiry(Limit limit) {
    var random = new Random(7);
    var limits = new ArrayList<>(Limits.ofEveryKind(6));
    var made = new ArrayList<ChargeReceipt>();
    var current = limit;
    for (int i = 0; i < 150; i++) {
      var plan = plan(current, 1 + random.nextInt(2));
      var charge = plan.charges().getFirst();
      int change = random.nextInt(10);
      switch (change) {
        case 0, 1, 2 -> {
          var reply =
              executor
                  .submit(new ScriptCommand.ChargesCommand(plan.charges(), true))
                  .toCompletableFuture();
          if (reply.join().outcomes().getFirst() instanceof Passed) {
            made.add(reply.join().receipt(0, charge));
          }
        }
        case 3 -> executor.peek(plan);
        case 4 -> executor.decide(plan(current, 0));
        case 5 -> {
          if (!made.isEmpty()) executor.renew(made.get(random.nextInt(made.size())).charge());
        }
        case 6 -> {
          if (!made.isEmpty()) executor.release(made.get(random.nextInt(made.size())).charge());
        }
        case 7 -> {
          if (!made.isEmpty()) executor.giveBack(made.remove(random.nextInt(made.size())));
        }
        case 8 -> {
          if (isHoldable(current)) {
            executor
                .hold(charge, Usage.NONE, random.nextInt(3), 1_000_000)
                .toCompletableFuture()
                .join();
            assertExpires("take of " + current);
            executor.report(charge).toCompletableFuture().join();
          }
        }
        default -> {
          if (random.nextInt(4) == 0) {
            current = limits.get(random.nextInt(limits.size()));
            made.clear();
          }
        }
      }
      assertExpires("step %d, change %d of %s".formatted(i, change, current));
    }
  }

  private static boolean isHoldable(Limit limit) {
    return limit instanceof Holdable;
  }

  private static void assertExpires(String description) {
    if (redis.server().call("EXISTS", KEY).number() == 0) return;
    assertThat(redis.server().call("PTTL", KEY).number()).as(description).isGreaterThanOrEqualTo(0);
  }

  @Test
  void flushedScriptsAreReloadedWithinTheSameCall() {
    executor.decide(plan(TokenBucket.of(Rate.perMinute(10)), 1));
    redis.server().call("SCRIPT", "FLUSH");
    assertThat(executor.decide(plan(TokenBucket.of(Rate.perMinute(10)), 1)).first().remaining())
        .isEqualTo(8);
  }

  private static long holder;

  private static Plan plan(Limit limit, long cost) {
    var rules = RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
    return rules.plan(Request.of(Subject.of("k"), cost), 0, ++holder);
  }
}
