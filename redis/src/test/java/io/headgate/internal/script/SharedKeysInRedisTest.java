package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
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
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the keys of the layout compact with the clock of the server. */
class SharedKeysInRedisTest {
  private static final String SHARED = "headgate:{k}contract|";
  private static final Duration DAY = Duration.ofDays(1);
  private static final List<Limit> THREE =
      List.of(
          TokenBucket.of(Rate.of(100_000, DAY)),
          FixedWindow.of(Rate.of(100_000, DAY)),
          RollingWindow.of(Rate.of(100_000, DAY)));

  /** The latest expiry (s) of the states of a shared key. */
  private static final String LATEST_EXPIRY =
      """
      local states, latest = {cmsgpack.unpack(redis.call('GET', KEYS[1]) or '')}, 0
      for i = 2, #states, 3 do latest = math.max(latest, states[i]) end
      return latest
      """;

  private static BothLayouts layouts;
  private static RedisServer server;
  private static TestServer separate;
  private static TestServer compact;

  private long holder;

  @BeforeAll
  static void start() {
    layouts = BothLayouts.start();
    server = layouts.server();
    separate = layouts.separate();
    compact = layouts.compact();
  }

  @AfterAll
  static void stop() {
    layouts.close();
  }

  @BeforeEach
  void flush() {
    layouts.flush();
  }

  private Plan plan(String subject, long cost, List<Limit> limits) {
    var rule = Rule.named("contract").match("key", "*");
    for (int i = 0; i < limits.size(); i++) {
      rule.limit(RuleLimit.of("limit-" + i, limits.get(i)).withPer("key"));
    }
    return RuleSet.of(rule.build()).plan(Request.of(Subject.of(subject), cost), 0, ++holder);
  }

  private PlanResult check(List<Limit> limits, long cost) {
    return decide(compact, plan("k", cost, limits));
  }

  private static PlanResult decide(TestServer redis, Plan plan) {
    try (var executor = redis.executor("headgate:")) {
      return executor.decide(plan);
    }
  }

  private static List<String> keys() {
    return server.call("KEYS", "*").items().stream().map(Object::toString).sorted().toList();
  }

  @Test
  void statesOfOneRuleShareAKey() {
    check(THREE, 1);
    assertThat(keys()).containsExactly(SHARED);
    assertThat(server.call("TYPE", SHARED).text()).isEqualTo("string");
  }

  @Test
  void peekStoresNothing() {
    try (var executor = compact.executor("headgate:")) {
      executor.peek(plan("k", 1, THREE));
    }
    assertThat(keys()).isEmpty();
  }

  @Test
  void ruleWithOneLimitHasKeysOfItsOwn() {
    var one = TokenBucket.of(Rate.perHour(10));
    var rule =
        Rule.named("rule")
            .match("key", "*")
            .limit(one)
            .override("method", "POST", TokenBucket.of(Rate.perHour(20)));
    for (var method : List.of("GET", "POST")) {
      var request = Request.of(Subject.of("k").with("method", method));
      decide(compact, RuleSet.of(rule.build()).plan(request, 0, ++holder));
    }
    assertThat(keys()).hasSize(2).contains("headgate:{k}rule");
    assertThat(keys().getLast()).startsWith("headgate:{k}rule||").doesNotEndWith("|");
  }

  @Test
  void sortedSetsAndLongTextsHaveKeysOfTheirOwn() {
    var limits =
        List.<Limit>of(
            TokenBucket.of(Rate.perHour(10)),
            Concurrency.of(5),
            SlidingWindow.of(Rate.perHour(10)).withBuckets(500));
    check(limits, 1);
    assertThat(keys()).containsExactly(SHARED, SHARED + "limit-1", SHARED + "limit-2");
  }

  @Test
  void rollingWindowMovesToAKeyOfItsOwnAsItGrows() {
    var limits = List.of(THREE.get(2), THREE.get(0));
    for (int i = 1; i <= 400; i++) {
      var outcome = check(limits, 1).outcomes().getFirst();
      assertThat(outcome.remaining()).isEqualTo(100_000 - i);
      if (i == 20) assertThat(keys()).containsExactly(SHARED);
      if (i == 200) assertThat(server.call("TYPE", SHARED + "limit-0").text()).isEqualTo("string");
    }
    assertThat(server.call("TYPE", SHARED + "limit-0").text()).isEqualTo("zset");
  }

  @Test
  void statesAfterTheFirstThirtyTwoHaveKeysOfTheirOwn() {
    var limits = Collections.<Limit>nCopies(40, FixedWindow.of(Rate.of(100, DAY)));
    for (int i = 1; i <= 3; i++) {
      long left = 100L - i;
      assertThat(check(limits, 1).outcomes())
          .allSatisfy(outcome -> assertThat(outcome.remaining()).isEqualTo(left));
    }
    assertThat(keys()).hasSize(1 + 8).contains(SHARED, SHARED + "limit-39");
  }

  @Test
  void everyChangeKeepsTheLatestExpiry() {
    var random = new Random(20_261_118);
    var limits =
        List.<Limit>of(
            TokenBucket.of(Rate.of(10, Duration.ofSeconds(1))),
            TokenBucket.of(Rate.of(10, Duration.ofHours(1))),
            FixedWindow.of(Rate.of(10, Duration.ofSeconds(2))),
            FixedWindow.of(Rate.of(10, DAY)),
            SlidingWindow.of(Rate.of(10, Duration.ofSeconds(5))),
            RollingWindow.of(Rate.of(10, Duration.ofSeconds(1))),
            RollingWindow.of(Rate.of(1_000, Duration.ofHours(2))),
            Concurrency.of(3).withLease(Duration.ofSeconds(2)));
    for (int step = 0; step < 400; step++) {
      var chosen = new ArrayList<Limit>();
      for (int i = 0; i < 3; i++) chosen.add(limits.get(random.nextInt(limits.size())));
      var plan = plan("k", random.nextInt(3), chosen);
      var redis = random.nextInt(10) == 0 ? separate : compact;
      try (var executor = redis.executor("headgate:")) {
        executor.decide(plan);
        if (random.nextInt(8) == 0) {
          var charge = plan.charges().get(random.nextInt(3));
          executor.reset(charge.counter(), charge.key());
        }
      }
      for (var key : keys()) {
        // -1: without an expiry. A key may also expire before it is read (-2).
        assertThat(server.call("PTTL", key).number()).as("step %d, %s", step, key).isNotEqualTo(-1);
      }
      if (!keys().contains(SHARED)) continue;
      long latest = server.call("EVAL", LATEST_EXPIRY, "1", SHARED).number();
      assertThat(server.call("PEXPIRETIME", SHARED).number())
          .as("step %d", step)
          .isGreaterThanOrEqualTo(latest * 1_000);
    }
  }

  @Test
  void expiredStateIsDropped() {
    check(THREE, 1);
    var add =
        """
        local states = {cmsgpack.unpack(redis.call('GET', KEYS[1]))}
        redis.call('SET', KEYS[1], cmsgpack.pack('removed', 1000, 'text', unpack(states)), 'KEEPTTL')
        return #states
        """;
    assertThat(server.call("EVAL", add, "1", SHARED).number()).isEqualTo(9);
    var outcomes = check(THREE, 1).outcomes();
    assertThat(outcomes).extracting(outcome -> outcome.remaining()).containsOnly(99_998L);
    assertThat(server.call("GET", SHARED).text()).doesNotContain("removed");
  }

  @Test
  void resetRemovesTheStateOfOneLimit() {
    var plan = plan("k", 3, THREE);
    decide(compact, plan);
    try (var executor = compact.executor("headgate:")) {
      for (int i = 0; i < 3; i++) {
        var charge = plan.charges().get(i);
        executor.reset(charge.counter(), charge.key());
        assertThat(executor.peek(plan("k", 0, THREE)).outcomes())
            .filteredOn(outcome -> outcome.remaining() == 100_000)
            .hasSize(i + 1);
      }
    }
    assertThat(keys()).doesNotContain(SHARED);
  }

  /** The state stays where it is until its expiry changes. */
  @Test
  void throttledCallerStaysThrottledWhenTheLayoutChanges() {
    var limits =
        List.<Limit>of(
            TokenBucket.of(Rate.of(5, DAY)),
            FixedWindow.of(Rate.of(5, DAY)),
            SlidingWindow.of(Rate.of(5, DAY)),
            RollingWindow.of(Rate.of(5, DAY)),
            Concurrency.of(5).withLease(DAY));
    for (int i = 0; i < 4; i++) decide(separate, plan("k", 1, limits));
    assertThat(keys()).hasSize(5);
    assertThat(check(limits, 1).outcomes()).allMatch(outcome -> outcome instanceof Passed);
    assertThat(check(limits, 1).outcomes())
        .allSatisfy(outcome -> assertThat(outcome.remaining()).isZero())
        .noneMatch(outcome -> outcome instanceof Passed);
    assertThat(keys()).as("each counter once").hasSizeLessThanOrEqualTo(6);
  }

  /** As the benchmark counts, whose limits have the names of their algorithms. */
  @Test
  void threeLimitsTakeAtMostThreeHundredBytes() {
    int subjects = 2_048; // a power of two, so that the tables of Redis are full
    var rule = Rule.named("bytes").match("key", "*");
    for (var limit : THREE) rule.limit(RuleLimit.of(limit.algorithm().id(), limit));
    var rules = RuleSet.of(rule.build());
    try (var executor = compact.executor("headgate:")) {
      executor.decide(rules.plan(Request.of(Subject.of("first")), 0, 1));
      flush();
      long before = usedMemory();
      var batch = new ArrayList<PlanResult>();
      for (int i = 0; i < subjects; i++) {
        batch.add(executor.decide(rules.plan(Request.of(Subject.of("user:" + i)), 0, i)));
      }
      assertThat(batch).allMatch(result -> result.outcomes().getFirst() instanceof Passed);
      assertThat((usedMemory() - before) / subjects).isLessThanOrEqualTo(300);
    }
  }

  private static long usedMemory() {
    var info = server.call("INFO", "memory").text();
    int begin = info.indexOf("used_memory:") + "used_memory:".length();
    return Long.parseLong(info.substring(begin, info.indexOf('\r', begin)));
  }

  @Test
  void otherLayoutDoesNotReadSharedKeys() {
    check(THREE, 1);
    assertThat(decide(separate, plan("k", 0, THREE)).outcomes())
        .allSatisfy(outcome -> assertThat(outcome.remaining()).isEqualTo(100_000));
  }
}
