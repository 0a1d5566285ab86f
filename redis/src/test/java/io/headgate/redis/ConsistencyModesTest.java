package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.consistency.ConsistencyOptions;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.outage.OutageListener;
import io.headgate.rule.Consistency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Leased and eventual rules on several instances with one Redis server. */
class ConsistencyModesTest {
  private static final int INSTANCES = 5;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Request HOT = Request.of(Subject.of("hot"));

  private static RedisServer server;
  private final List<RateLimiter> limiters = new ArrayList<>();

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void flush() {
    server.call("FLUSHALL");
  }

  @AfterEach
  void close() {
    limiters.forEach(RateLimiter::close);
  }

  private void connect(int instances, Consistency consistency, Limit limit) {
    connect(instances, ConsistencyOptions.DEFAULT, consistency, limit);
  }

  private void connect(
      int instances, ConsistencyOptions consistencyOptions, Consistency consistency, Limit limit) {
    // A long deadline, so that a busy machine is not taken for an outage.
    var options =
        RedisOptions.of(server.uri())
            .withDeadline(Duration.ofSeconds(10))
            .withConsistency(consistencyOptions);
    for (int i = 0; i < instances; i++) {
      limiters.add(RateLimiter.with(RedisStore.connect(options), rules(consistency, limit)));
    }
  }

  private static RuleSet rules(Consistency consistency, Limit limit) {
    return RuleSet.of(Rule.named("r").per("key").limit(limit).consistency(consistency).build());
  }

  static List<Limit> thousandPerYear() {
    return List.of(
        new TokenBucket(Rate.of(1_000, Duration.ofDays(365))),
        FixedWindow.of(Rate.of(1_000, Duration.ofDays(365))),
        SlidingWindow.of(Rate.of(1_000, Duration.ofDays(365))));
  }

  @ParameterizedTest
  @MethodSource("thousandPerYear")
  void fiveLeasedInstancesAdmitExactlyTheLimit(Limit limit) throws Exception {
    connect(INSTANCES, Consistency.LEASED, limit);
    assertThat(admitted(2_000)).isLessThanOrEqualTo(1_000);
    // Unused holds are returned when an instance closes; none is lost or granted twice.
    var last = limiters.removeLast();
    limiters.forEach(RateLimiter::close);
    limiters.clear();
    limiters.add(last);
    long before = admittedSoFar;
    Eventually.holds(
        "all of the limit is admitted",
        TIMEOUT,
        () -> {
          for (int i = 0; i < 50; i++) {
            if (last.checkForResult(HOT).isAllowed()) admittedSoFar++;
          }
          return admittedSoFar >= 1_000;
        });
    assertThat(admittedSoFar).isEqualTo(1_000).isGreaterThanOrEqualTo(before);
  }

  private long admittedSoFar;

  /** Makes checks on every instance with four threads each; returns the number admitted. */
  private long admitted(int timesEach) throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var work = new ArrayList<Callable<Long>>();
      for (var limiter : limiters) {
        for (int thread = 0; thread < 4; thread++) {
          work.add(() -> {
            long passed = 0;
            for (int i = 0; i < timesEach / 4; i++) {
              if (limiter.checkForResult(HOT).isAllowed()) passed++;
            }
            return passed;
          });
        }
      }
      for (var part : threads.invokeAll(work)) admittedSoFar += part.get();
    }
    return admittedSoFar;
  }

  @Test
  void hotCallerIsDecidedFromPermitLease() {
    connect(1, Consistency.LEASED, new TokenBucket(Rate.perHour(1_000_000)));
    var limiter = limiters.getFirst();
    Eventually.holds(
        "permits are held here",
        TIMEOUT,
        () -> {
          for (int i = 0; i < 100; i++)
            assertThat(limiter.checkForResult(HOT).isAllowed()).isTrue();
          return limiter.checkForResult(HOT).source() == Source.LEASE;
        });
    long before = calls();
    for (int i = 0; i < 2_000; i++) assertThat(limiter.checkForResult(HOT).isAllowed()).isTrue();
    assertThat(calls() - before).isLessThan(100);
  }

  private static long calls() {
    var text = server.call("INFO", "commandstats").text();
    for (var line : text.lines().toList()) {
      if (line.startsWith("cmdstat_evalsha:")) {
        return Long.parseLong(line.replaceAll("cmdstat_evalsha:calls=(\\d+),.*", "$1"));
      }
    }
    return 0;
  }

  @Test
  void resetReachesInstancesWithPermitLeases() {
    connect(2, Consistency.LEASED, new TokenBucket(Rate.perDay(500)));
    for (int i = 0; i < 2_000; i++) limiters.get(i % 2).checkForResult(HOT);
    assertThat(limiters.getFirst().checkForResult(HOT).isAllowed()).isFalse();
    limiters.getLast().reset(Subject.of("hot"), "r");
    Eventually.holds(
        "the reset takes effect",
        TIMEOUT,
        () -> limiters.getFirst().checkForResult(HOT).isAllowed());
  }

  @Test
  void eventualLimitReachesAllInstancesAfterSync() {
    connect(3, Consistency.EVENTUAL, new TokenBucket(Rate.perDay(200)));
    for (int i = 0; i < 200; i++) {
      assertThat(limiters.getFirst().checkForResult(HOT).isAllowed()).isTrue();
    }
    for (var limiter : limiters) {
      Eventually.holds(
          "the limit is reached on all instances",
          TIMEOUT,
          () -> !limiter.checkForResult(HOT).isAllowed());
    }
    assertThat(limiters.getLast().checkForResult(HOT).source()).isEqualTo(Source.CACHE);
  }

  @Test
  void closeReportsLocalCounts() {
    connect(2, Consistency.EVENTUAL, new TokenBucket(Rate.perDay(1_000)));
    for (int i = 0; i < 300; i++) limiters.getFirst().checkForResult(HOT);
    limiters.removeFirst().close();
    var left = limiters.getFirst().peek(HOT).limit().orElseThrow().remaining();
    assertThat(left).isEqualTo(699);
  }

  /** The first check starts a report immediately, so later checks are mostly made during it. */
  @RepeatedTest(20)
  void closeReportsCountsMadeDuringASync() {
    connect(2, Consistency.EVENTUAL, new TokenBucket(Rate.perDay(1_000)));
    for (int i = 0; i < 20; i++) limiters.getFirst().checkForResult(HOT);
    limiters.removeFirst().close();
    var left = limiters.getFirst().peek(HOT).limit().orElseThrow().remaining();
    assertThat(left).isEqualTo(979);
  }

  @Test
  void changedLimitOfEventualRuleAppliesToActiveCallers() {
    var often = ConsistencyOptions.DEFAULT.withSyncInterval(Duration.ofMillis(10));
    connect(1, often, Consistency.EVENTUAL, new TokenBucket(Rate.of(1_000, Duration.ofMillis(1))));
    var limiter = limiters.getFirst();
    for (int i = 0; i < 500; i++) limiter.checkForResult(HOT);
    limiter.replaceRules(rules(Consistency.EVENTUAL, new TokenBucket(Rate.perDay(5))));
    int passed = 0;
    for (int report = 0; report < 20; report++) {
      long before = calls();
      for (int i = 0; i < 10; i++) if (limiter.checkForResult(HOT).isAllowed()) passed++;
      Eventually.holds("it is reported", TIMEOUT, () -> calls() > before);
    }
    assertThat(passed)
        .isLessThanOrEqualTo(10); // five locally before the next sync, five in the store
  }

  @Test
  void returnedHoldKeepsSlotsOfChangedRule() {
    connect(2, Consistency.LEASED, new TokenBucket(Rate.perHour(1_000_000)));
    var holder = limiters.getFirst();
    Eventually.holds(
        "permits are held here",
        TIMEOUT,
        () -> {
          for (int i = 0; i < 100; i++) holder.checkForResult(HOT);
          return holder.checkForResult(HOT).source() == Source.LEASE;
        });
    var limiter = limiters.getLast();
    limiter.replaceRules(rules(Consistency.LEASED, new Concurrency(3, Duration.ofMinutes(5))));
    int slots = 0;
    for (int i = 0; i < 5; i++) if (limiter.acquire(HOT).isAllowed()) slots++;
    limiters.removeFirst().close(); // returns its hold, under the old limit
    for (int i = 0; i < 5; i++) if (limiter.acquire(HOT).isAllowed()) slots++;
    assertThat(slots).isEqualTo(3);
    assertThat(server.call("TYPE", "headgate:{hot}r").text()).isEqualTo("zset");
  }

  /** With the default deadline of 50 ms, in which Redis cannot answer all of them. */
  @Test
  void burstOfReportsIsPacedWithoutLoss() {
    var once = ConsistencyOptions.DEFAULT.withSyncInterval(Duration.ofSeconds(1));
    var opened = new AtomicInteger();
    var listener =
        new OutageListener() {
          @Override
          public void opened(String message) {
            opened.incrementAndGet();
          }
        };
    var options = RedisOptions.of(server.uri()).withConsistency(once).withOutageListener(listener);
    var limit = FixedWindow.of(Rate.of(1_000, Duration.ofDays(3_650)));
    var store = RedisStore.connect(options);
    var limiter = RateLimiter.with(store, rules(Consistency.EVENTUAL, limit));
    limiters.add(limiter);
    for (int i = 0; i < 5_000; i++) limiter.checkForResult(Request.of(Subject.of("user" + i)));
    Eventually.holds("all are reported", TIMEOUT, () -> keys("headgate:{user*") == 5_000);
    assertThat(opened).hasValue(0);
  }

  private static long keys(String pattern) {
    var script = "return #redis.call('KEYS', ARGV[1])";
    return server.call("EVAL", script, "0", pattern).number();
  }
}
