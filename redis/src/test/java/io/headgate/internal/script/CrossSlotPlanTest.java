package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.LimitReport;
import io.headgate.RateLimiter;
import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.internal.connection.LettuceClients;
import io.headgate.redis.internal.connection.RedisConnection;
import io.headgate.redis.internal.connection.TestConnections;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.ConcurrentRunner;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.redis.RedisCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A limit per user and a shared limit, whose counters are in different hash slots. */
class CrossSlotPlanTest {
  private static RedisCluster cluster;
  private static LettuceClients clients;
  private static RedisConnection connection;

  private final ManualTicker clock = ManualTicker.create();
  private final AtomicLong holder = new AtomicLong();

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(3, 0);
    clients = new LettuceClients(RedisOptions.of(cluster.uri()));
    connection = clients.connect();
  }

  @AfterAll
  static void stop() {
    connection.close();
    clients.close();
    cluster.close();
  }

  @BeforeEach
  void flush() {
    cluster.nodes().forEach(node -> node.call("FLUSHALL"));
  }

  static Stream<Limit> everyAlgorithm() {
    var rate = Rate.of(60, Duration.ofMinutes(2));
    return Stream.of(
        TokenBucket.of(rate),
        LeakyBucket.of(rate).withQueue(59),
        FixedWindow.of(rate),
        SlidingWindow.of(rate),
        RollingWindow.of(rate),
        Concurrency.of(60).withLease(Duration.ofMinutes(1)),
        new AdaptiveConcurrency(60, 60, 60, Duration.ofMinutes(1)));
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void concurrentPlansNeverExceedEitherLimit(Limit shared) throws Exception {
    var rules = rules(shared, TokenBucket.of(Rate.perHour(25)));
    try (var scriptExecutor = scriptExecutor()) {
      // Four users of 25 each for 60 in all: most plans are refused by one, many by the other.
      long admitted =
          ConcurrentRunner.PLATFORM.sum(member -> {
            long mine = 0;
            for (int i = 0; i < 200 / ConcurrentRunner.PLATFORM.size() * 4; i++) {
              var plan = plan(rules, "user" + i % 4);
              if (plan.allows(scriptExecutor.decide(plan).outcomes())) mine++;
            }
            return mine;
          });
      assertThat(admitted).isLessThanOrEqualTo(60);
      // Charges of conflicting plans were given back, so the rest of the limit is available.
      long more = 0;
      for (int i = 0; i < 100; i++) {
        var plan = plan(rules, "user" + i % 4);
        if (plan.allows(scriptExecutor.decide(plan).outcomes())) more++;
      }
      assertThat(admitted + more).isEqualTo(60);
    }
  }

  /** Holds are made in the hash slot of each counter; plans across slots respect them. */
  @Test
  void holdInOneSlotIsUnavailableToCrossSlotPlan() {
    var rules = rules(TokenBucket.of(Rate.perHour(10)), TokenBucket.of(Rate.perHour(25)));
    try (var scriptExecutor = scriptExecutor()) {
      for (var charge : plan(rules, "user1").charges()) {
        var taken =
            scriptExecutor.hold(charge, Usage.NONE, 7, 60_000_000).toCompletableFuture().join();
        assertThat(taken.held()).isEqualTo(7);
      }
      long admitted = 0;
      for (int i = 0; i < 9; i++) {
        var plan = plan(rules, "user1");
        if (plan.allows(scriptExecutor.decide(plan).outcomes())) admitted++;
      }
      assertThat(admitted).isEqualTo(2);
    }
  }

  @Test
  void limiterPeeksAtTheStateBeforeTheCharge() {
    var rules = rules(TokenBucket.of(Rate.perHour(10)), TokenBucket.of(Rate.perHour(25)));
    var request = Request.of(Subject.of("user", "user1"), 4);
    try (var limiter = RateLimiter.with(scriptExecutor(), rules)) {
      for (long used = 0; used <= 8; used += 4) {
        var peeked = limiter.peek(request);
        assertThat(peeked.limits().stream().map(LimitReport::remaining))
            .containsExactly(25 - used, 10 - used);
        assertThat(peeked.isAllowed()).isEqualTo(limiter.check(request).isAllowed());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void givenBackChargeLeavesNoTrace(Limit limit) {
    try (var scriptExecutor = scriptExecutor()) {
      var rules = RuleSet.of(Rule.named("all").per().limit(limit).build());
      var first = rules.plan(Request.of(Subject.of("k"), 2), 0, holder.incrementAndGet());
      scriptExecutor.decide(first);
      clock.sleep(100_000);
      var before = scriptExecutor.peek(first).outcomes();
      var taken = rules.plan(Request.of(Subject.of("k"), 3), 0, holder.incrementAndGet());
      var passed = scriptExecutor.decide(taken).first();
      assertThat(passed).isInstanceOf(Passed.class);
      assertThat(scriptExecutor.peek(first).outcomes()).isNotEqualTo(before);
      long at = clock.micros();
      var charge = taken.charges().getFirst();
      scriptExecutor.giveBack(new ChargeReceipt(charge, at, at + passed.resetAfter()));
      Eventually.holds(
          "given back",
          Duration.ofSeconds(10),
          () -> scriptExecutor.peek(first).outcomes().equals(before));
    }
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void jointChargeIsGivenBackCompletely(Limit shared) {
    var each = Rule.named("each").match("user", "*").limit(TokenBucket.of(Rate.perHour(25)));
    var all = Rule.named("shared").per().limit(shared).build();
    var rules = RuleSet.of(List.of(each.build(), all));
    var user = Subject.of(Map.of("user", "u"));
    var joint =
        CombinedPlan.of(
                List.of(
                    rules.plan(Request.of(user, 2), 0, 7), rules.plan(Request.of(user, 3), 0, 7)))
            .whole();
    try (var scriptExecutor = scriptExecutor()) {
      var otherPlan = RuleSet.of(all).plan(Request.of(user, 4), 0, 8);
      scriptExecutor.decide(otherPlan);
      clock.sleep(100_000);
      var before = scriptExecutor.peek(otherPlan).outcomes();
      var rival = RuleSet.of(each.build()).plan(Request.of(user, 24), 0, 9);
      var submitted = new AtomicInteger();
      var executor =
          new CrossSlotPlan.CommandExecutor() {
            @Override
            public <T> CompletionStage<T> submit(ScriptCommand<T> command) {
              // After ten peeks and the charge of the shared limit, another plan comes first.
              return submitted.incrementAndGet() == 12
                  ? scriptExecutor
                      .decideAsync(rival)
                      .thenCompose(done -> scriptExecutor.submit(command))
                  : scriptExecutor.submit(command);
            }
          };
      var deadline = new CommandDeadline("Redis", Duration.ofSeconds(20), 0, System::nanoTime);
      var crossSlotPlan =
          new CrossSlotPlan(executor, scriptExecutor::hashSlot, deadline, call -> {}, charge -> {});
      var result = crossSlotPlan.run(joint, true).toCompletableFuture().join();
      assertThat(joint.allows(result.outcomes())).isFalse();
      assertThat(submitted).as("ten peeks, two charges, and one charge given back").hasValue(13);
      Eventually.holds(
          "given back",
          Duration.ofSeconds(10),
          () -> scriptExecutor.peek(otherPlan).outcomes().equals(before));
    }
  }

  private static RuleSet rules(Limit shared, Limit each) {
    return RuleSet.of(
        List.of(
            Rule.named("each").match("user", "*").limit(each).build(),
            Rule.named("shared").per().limit(shared).build()));
  }

  private Plan plan(RuleSet rules, String user) {
    var subject = Subject.of(Map.of("user", user));
    return rules.plan(Request.of(subject), 0, holder.incrementAndGet());
  }

  private ScriptExecutor scriptExecutor() {
    return ScriptExecutor.withClock(
        TestConnections.shared(connection),
        new CounterKeys("s:"),
        Duration.ofSeconds(20),
        clock::micros);
  }
}
