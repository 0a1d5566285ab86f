package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.internal.consistency.HoldingStore.HoldResult;
import io.headgate.internal.consistency.HoldingStore.ReportResult;
import io.headgate.limit.BucketState;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HeldState;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Charge;
import io.headgate.rule.Consistency;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.ConcurrentRunner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds of instances in Redis, with the server's clock. */
class HoldsInRedisTest {
  private static final String KEY = "h:{k}rule";
  private static final long GRACE_MILLIS = 3_000;
  private static final long MINUTE = 60_000_000;
  private static final List<ScriptExecutor> executors =
      new ArrayList<>(); // each has a thread, so they are closed

  /** The size of the last hold of each executor. */
  private static final Map<ScriptExecutor, Long> HOLDS = new ConcurrentHashMap<>();

  private static TestServer redis;

  @BeforeAll
  static void start() {
    redis = TestServer.start();
  }

  @AfterEach
  void closeExecutors() {
    executors.forEach(ScriptExecutor::close);
    executors.clear();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void flush() {
    redis.flush();
  }

  static Stream<Limit> holdableLimits() {
    var rate = Rate.of(10, Duration.ofMinutes(10));
    return Stream.of(TokenBucket.of(rate), FixedWindow.of(rate), SlidingWindow.of(rate));
  }

  @ParameterizedTest
  @MethodSource("holdableLimits")
  void holdIsStoredUntilItsChargeWouldExpire(Limit limit) {
    var taken = hold(executor(), plan(limit, 0), 0, 4, MINUTE);
    assertThat(taken.held()).isEqualTo(4);
    // Longer than the lease: permits that were spent in it still count afterwards.
    long reset = taken.outcome().resetAfter() / 1_000;
    assertThat(reset).isGreaterThanOrEqualTo(MINUTE / 1_000);
    assertThat(redis.server().call("PTTL", KEY).number())
        .isBetween(reset, reset + GRACE_MILLIS + 1_000);
  }

  @ParameterizedTest
  @MethodSource("holdableLimits")
  void holderUsesAboutTwentyBytesUntilItReturnsItsHold(Limit limit) {
    var one = executor();
    var other = executor();
    one.decide(plan(limit, 1));
    long bare = redis.server().call("STRLEN", KEY).number();
    hold(one, plan(limit, 0), 0, 2, MINUTE);
    long first = redis.server().call("STRLEN", KEY).number();
    hold(other, plan(limit, 0), 0, 2, MINUTE);
    assertThat(first - bare).isBetween(12L, 24L);
    assertThat(redis.server().call("STRLEN", KEY).number() - first).isBetween(15L, 22L);
    hold(one, plan(limit, 0), 0, 0, MINUTE);
    hold(other, plan(limit, 0), 0, 0, MINUTE);
    assertThat(redis.server().call("STRLEN", KEY).number()).isEqualTo(bare);
  }

  @ParameterizedTest
  @MethodSource("holdableLimits")
  void givingBackAChargeLeavesHolds(Limit limit) {
    var executor = executor();
    hold(executor, plan(limit, 0), 0, 4, MINUTE);
    var plan = plan(limit, 5);
    var receipt = TestCharges.make(executor, plan);
    assertThat(executor.peek(plan(limit, 0)).first().remaining()).isEqualTo(1);
    executor.giveBack(receipt);
    assertThat(executor.peek(plan(limit, 0)).first().remaining()).isEqualTo(6);
    assertThat(hold(executor, plan(limit, 0), 4, 0, MINUTE).outcome().remaining()).isEqualTo(6);
  }

  @ParameterizedTest
  @MethodSource("holdableLimits")
  void reportedPermitsAreChargedBeyondCapacity(Limit limit) {
    var executor = executor();
    var known = report(executor, plan(limit, 25));
    assertThat(known.state().used(known.now())).isEqualTo(1 << 20);
    assertThat(executor.decide(plan(limit, 1)).first())
        .isInstanceOfSatisfying(Refused.class, refused -> assertThat(refused.remaining()).isZero());
    var again = report(executor, plan(limit, 0));
    assertThat(again.now()).isGreaterThanOrEqualTo(known.now());
    assertThat(again.state()).isEqualTo(known.state());
  }

  @Test
  void debtBeyondCapacityIsReportedExactly() {
    var known = report(executor(), plan(TokenBucket.of(Rate.perMinute(60)).withBurst(10), 25));
    var state = (BucketState) known.state();
    assertThat(state.emptyAt() - known.now()).isEqualTo(25_000_000);
  }

  @Test
  void instancesHaveDifferentHolderIds() {
    var limit = TokenBucket.of(Rate.perHour(10));
    assertThat(hold(executor(), plan(limit, 0), 0, 6, MINUTE).held()).isEqualTo(6);
    assertThat(hold(executor(), plan(limit, 0), 6, 6, MINUTE).held()).isEqualTo(4);
  }

  /** As after a failover to a replica that did not have the hold yet. */
  @ParameterizedTest
  @MethodSource("holdableLimits")
  void spentPermitsOfLostHoldAreCharged(Limit limit) {
    var executor = executor();
    var granted = hold(executor, plan(limit, 0), 0, 6, MINUTE);
    redis.flush();
    var usage = new Usage(4, 6, granted.until());
    assertThat(hold(executor, plan(limit, 0), usage, 0, MINUTE).outcome().remaining()).isEqualTo(6);
    var over = new Usage(4, 6, granted.until() - 2 * MINUTE); // which is charged then
    assertThat(hold(executor, plan(limit, 0), over, 0, MINUTE).outcome().remaining()).isEqualTo(6);
  }

  @Test
  void instanceBeyondSixtyFourHoldersIsDecidedByStore() {
    var rule = Rule.named("rule").match("key", "*").limit(TokenBucket.of(Rate.perMinute(100_000)));
    var rules = RuleSet.of(rule.consistency(Consistency.LEASED).build());
    var charge = charge(rules.plan(Request.of(Subject.of("k"), 0), 0, 0));
    var batch = new Batch(new CounterKeys("h:"), LimitFormat.NUMBERS);
    for (int holder = 0; holder < HeldState.MAX_HOLDERS; holder++) {
      var request = new HoldRequest(holder, Usage.NONE, 0, 10, MINUTE);
      ScriptCommand.hold(charge, request, back -> {}).writeTo(batch);
    }
    redis.decide(batch, -1);
    var options = RedisOptions.builder(redis.server().uri()).prefix("h:");
    try (var store = RedisStore.connect(options.deadline(Duration.ofSeconds(10)).build());
        var limiter = RateLimiter.with(store, rules)) {
      for (int i = 0; i < 500; i++) {
        assertThat(limiter.checkForResult(Subject.of("k")).isAllowed()).isTrue();
      }
    }
  }

  /** A minimal instance that spends its hold under a lock. */
  private static final class Instance {
    private final ScriptExecutor executor = executor();
    private final ReentrantLock lock = new ReentrantLock();
    private long left;
    private long unreported;

    boolean admits(Plan plan, long want) {
      lock.lock();
      try {
        if (left > 0) {
          left--;
          unreported++;
          return true;
        }
        return hold(plan, want).outcome() instanceof Passed;
      } finally {
        lock.unlock();
      }
    }

    void giveBack(Plan plan) {
      lock.lock();
      try {
        hold(plan, 0);
      } finally {
        lock.unlock();
      }
    }

    private HoldResult hold(Plan plan, long want) {
      var taken = HoldsInRedisTest.hold(executor, plan, unreported, want, 60 * MINUTE);
      unreported = 0;
      left = taken.held();
      return taken;
    }
  }

  private static final int LIMIT = 4_000;

  static Stream<Limit> slowlyRefillingLimits() {
    return Stream.of(
        FixedWindow.of(Rate.of(LIMIT, Duration.ofDays(30_000))),
        TokenBucket.of(Rate.perDay(1)).withBurst(LIMIT));
  }

  @ParameterizedTest
  @MethodSource("slowlyRefillingLimits")
  void leasedAndStrictCallersTogetherAdmitExactlyTheLimit(Limit limit) throws Exception {
    var instances = new ArrayList<Instance>();
    for (int i = 0; i < 5; i++) instances.add(new Instance());
    var strict = executor();
    long admitted =
        ConcurrentRunner.VIRTUAL.sum(member -> {
          long mine = 0;
          var instance = instances.get(member % 5);
          for (int i = 0; i < 60; i++) {
            boolean commands = (member + i) % 10 == 0;
            var plan = plan(limit, 1);
            if (commands
                ? strict.decide(plan).first() instanceof Passed
                : instance.admits(plan, 9)) {
              mine++;
            }
            if (i % 20 == 19) instance.giveBack(plan(limit, 0));
          }
          return mine;
        });
    for (var instance : instances) instance.giveBack(plan(limit, 0));
    while (instances.getFirst().admits(plan(limit, 1), 50)) admitted++;
    assertThat(admitted).isEqualTo(LIMIT);
    assertThat(strict.peek(plan(limit, 0)).first().remaining()).isZero();
  }

  private static ScriptExecutor executor() {
    var executor = redis.executor("h:");
    executors.add(executor);
    return executor;
  }

  /** Requests a hold and reports the usage of the previous one. */
  private static HoldResult hold(
      ScriptExecutor executor, Plan plan, long spent, long want, long lease) {
    return hold(
        executor, plan, new Usage(spent, HOLDS.getOrDefault(executor, spent), 0), want, lease);
  }

  private static HoldResult hold(
      ScriptExecutor executor, Plan plan, Usage usage, long want, long lease) {
    var taken = executor.hold(charge(plan), usage, want, lease).toCompletableFuture().join();
    HOLDS.put(executor, taken.held());
    return taken;
  }

  private static ReportResult report(ScriptExecutor executor, Plan plan) {
    return executor.report(charge(plan)).toCompletableFuture().join();
  }

  private static Charge charge(Plan plan) {
    return plan.charges().getFirst();
  }

  private static Plan plan(Limit limit, long cost) {
    var rules = RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
    return rules.plan(Request.of(Subject.of("k"), cost), 0, 0);
  }
}
