package io.headgate.testkit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The behaviour required of every store. Each store has a subclass that opens it. This class tests
 * concurrent callers, {@link SoleCallerContract} a single one.
 *
 * <p>The clock stands still while threads run, so that the expected result is exact.
 */
public abstract class StoreContract extends SoleCallerContract {
  /** Several times the capacity of 100, so that callers compete for the last permits. */
  private static final int REQUESTS = TestEffort.of(400, 1_600);

  /** Requests of several limits or combined requests, of which 100 are admitted at most. */
  private static final int PLANS = TestEffort.of(400, 800);

  /** Operations of callers that charge, release and reset at the same time. */
  private static final int RACES = TestEffort.of(1_600, 4_000);

  /** Operations of callers half of which charge while the other half peeks. */
  private static final int PEEKS = TestEffort.of(4_000, 20_000);

  /**
   * Returns how many of the given requests concurrent callers make. A store that decides requests
   * one at a time, in a server that takes far longer than a thread to start, may make fewer.
   */
  protected int concurrentRequests(int requests) {
    return requests;
  }

  static Stream<Arguments> everyKindAndRunner() {
    return Limits.ofEveryKind(100).stream()
        .flatMap(limit ->
            Stream.of(ConcurrentRunner.values()).map(runner -> Arguments.of(limit, runner)));
  }

  @ParameterizedTest
  @MethodSource("everyKindAndRunner")
  void concurrentCallersAreAdmittedExactlyUpToTheCapacity(Limit limit, ConcurrentRunner runner)
      throws Exception {
    var store = open();
    int requests = concurrentRequests(REQUESTS) / runner.size();
    long admitted =
        runner.sum(thread -> {
          long count = 0;
          for (int i = 0; i < requests; i++) {
            var plan = plan(limit, "k", 1, (long) thread * requests + i);
            if (decide(store, plan) instanceof Passed) count++;
          }
          return count;
        });
    assertThat(admitted).isEqualTo(limit.capacity());
  }

  @ParameterizedTest
  @EnumSource
  void concurrentTenantsAreAdmittedUpToTheirShares(ConcurrentRunner runner) throws Exception {
    var store = open();
    int tenants = 4;
    var limit =
        new FairShare(
            TokenBucket.of(Rate.of(500, Duration.ofSeconds(100))), FairSharing.among("tenant"));
    var rules = RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
    for (int i = 0; i < tenants; i++) store.decide(plan(rules, i));
    int requests = TestEffort.of(800, 1_600) / runner.size();
    var admitted = new AtomicLongArray(tenants);
    runner.sum(thread -> {
      for (int i = 0; i < requests; i++) {
        int tenant = (thread + i) % tenants;
        if (decide(store, plan(rules, tenant)) instanceof Passed) admitted.incrementAndGet(tenant);
      }
      return 0;
    });
    // A tenth of the burst each, and twice that while at most half of the burst is in use. One
    // request each was made before.
    long sum = tenants;
    for (int i = 0; i < tenants; i++) {
      assertThat(admitted.get(i) + 1).isBetween(50L, 100L);
      sum += admitted.get(i);
    }
    assertThat(sum).isBetween(250L, 300L);
  }

  private static Plan plan(RuleSet rules, int tenant) {
    var subject = Subject.of("k").with("tenant", "t" + tenant);
    return rules.plan(Request.of(subject, 1), 0, 0);
  }

  @ParameterizedTest
  @MethodSource("everyKindAndRunner")
  void planAdmitsByItsTightestLimitAndChargesAllEqually(Limit limit, ConcurrentRunner runner)
      throws Exception {
    var store = open();
    var more = TokenBucket.of(Rate.perHour(120));
    var rules =
        RuleSet.of(
            Rule.named("a").match("x", "*").limit(more).build(),
            Rule.named("b")
                .match("y", "*")
                .limit(RuleLimit.of("first", RollingWindow.of(Rate.perHour(130))))
                .limit(RuleLimit.of("second", limit))
                .build());
    var request = Request.of(Subject.of(Map.of("x", "1", "y", "1")));
    long admitted =
        runner.sum(thread -> {
          long count = 0;
          for (int i = 0; i < concurrentRequests(PLANS) / runner.size(); i++) {
            if (passes(store, rules.plan(request, 0, thread * 800L + i))) count++;
          }
          return count;
        });
    assertThat(admitted).isEqualTo(limit.capacity());
    var outcomes = store.peek(rules.plan(Request.of(request.subject(), 0), 0, 0)).outcomes();
    assertThat(outcomes.stream().map(outcome -> outcome.remaining()))
        .containsExactly(120 - admitted, 130 - admitted, 0L);
  }

  /** Compares each counter with the number of admissions; a denial must not be charged anywhere. */
  @ParameterizedTest
  @EnumSource
  void chargesEqualAdmissionsForAnyOrderOfCounters(ConcurrentRunner runner) throws Exception {
    var store = open();
    int keys = 5;
    var x = Rule.named("x").match("x", "*").limit(TokenBucket.of(Rate.perHour(40))).build();
    var y = Rule.named("y").match("y", "*").limit(RollingWindow.of(Rate.perHour(50))).build();
    var z = Rule.named("z").match("z", "*").limit(TokenBucket.of(Rate.perHour(60))).build();
    var orders = List.of(RuleSet.of(x, y, z), RuleSet.of(z, y, x), RuleSet.of(y, z, x));
    var admissions = Map.of("x", counts(keys), "y", counts(keys), "z", counts(keys));
    runner.sum(thread -> {
      var random = new Random(thread);
      for (int i = 0; i < concurrentRequests(RACES) / runner.size(); i++) {
        var of = Map.of("x", random.nextInt(keys), "y", random.nextInt(keys));
        var keysOfRequest = random.nextInt(3) == 0 ? of : with(of, "z", random.nextInt(keys));
        var plan = orders.get(thread % 3).plan(Request.of(subject(keysOfRequest)), 0, 0);
        if (passes(store, plan)) {
          keysOfRequest.forEach(
              (rule, key) -> requireNonNull(admissions.get(rule)).incrementAndGet(key));
        }
      }
      return 0;
    });
    for (var rule : List.of(x, y, z)) {
      for (int key = 0; key < keys; key++) {
        var request = Request.of(subject(Map.of(rule.id(), key)), 0);
        var remaining = store.peek(RuleSet.of(rule).plan(request, 0, 0)).first().remaining();
        assertThat(rule.limits().getFirst().limit().capacity() - remaining)
            .as("rule %s, key %d", rule.id(), key)
            .isEqualTo(requireNonNull(admissions.get(rule.id())).get(key));
      }
    }
  }

  /** One limit is exhausted, another is not, and each caller charges both counters twice. */
  @ParameterizedTest
  @MethodSource("everyKindAndRunner")
  void combinedRequestsAreChargedAllOrNone(Limit limit, ConcurrentRunner runner) throws Exception {
    var store = open();
    var rules =
        RuleSet.of(
            Rule.named("scarce").match("x", "*").limit(limit).build(),
            Rule.named("ample").match("y", "*").limit(TokenBucket.of(Rate.perHour(5_000))).build());
    var scarce = Request.of(Subject.of("x", "1"));
    var ample = Request.of(Subject.of("y", "1"), 3);
    long admitted =
        runner.sum(thread -> {
          long count = 0;
          for (int i = 0; i < concurrentRequests(PLANS) / runner.size(); i++) {
            long holder = thread * 800L + i;
            var plans = new ArrayList<Plan>();
            for (var request : List.of(ample, scarce, scarce, ample)) {
              plans.add(rules.plan(request, 0, holder));
            }
            if (passes(store, CombinedPlan.of(plans).whole())) count++;
          }
          return count;
        });
    assertThat(admitted).isEqualTo(limit.capacity() / 2);
    assertThat(store.peek(rules.plan(Request.of(scarce.subject(), 0), 0, 0)).first().remaining())
        .isEqualTo(limit.capacity() % 2);
    assertThat(store.peek(rules.plan(Request.of(ample.subject(), 0), 0, 0)).first().remaining())
        .isEqualTo(5_000 - 6 * admitted);
  }

  /** Two counters are always charged together: a peek must never see one without the other. */
  @ParameterizedTest
  @EnumSource
  void planIsVisibleAtomically(ConcurrentRunner runner) throws Exception {
    var store = open();
    var rules =
        RuleSet.of(
            Rule.named("a").match("key", "*").limit(TokenBucket.of(Rate.perHour(100))).build(),
            Rule.named("b").match("key", "*").limit(RollingWindow.of(Rate.perHour(100))).build());
    runner.sum(thread -> {
      for (int i = 0; i < concurrentRequests(PEEKS) / runner.size(); i++) {
        var plan = rules.plan(Request.of(Subject.of("k" + i)), 0, 0);
        if (thread % 2 == 0) {
          store.decide(plan);
        } else {
          var seen = store.peek(plan).outcomes();
          assertThat(seen.getFirst().remaining()).isEqualTo(seen.getLast().remaining());
        }
      }
      return 0;
    });
  }

  /** One half of the threads exhausts and resets the counter while the other half peeks at it. */
  @ParameterizedTest
  @EnumSource
  void decisionAndStateOfAPeekAgree(ConcurrentRunner runner) throws Exception {
    var rule = Rule.named("rule").match("key", "*").limit(TokenBucket.of(Rate.perHour(4))).build();
    var limiter = RateLimiter.with(open(), RuleSet.of(rule));
    var request = Request.of(Subject.of("k"), 2);
    runner.sum(thread -> {
      for (int i = 0; i < concurrentRequests(PEEKS) / runner.size(); i++) {
        if (thread % 2 == 0) {
          if (!limiter.check(request).isAllowed()) limiter.reset(request.subject(), "rule");
        } else {
          var peeked = limiter.peek(request);
          assertThat(peeked.isAllowed())
              .isEqualTo(peeked.limit().orElseThrow().remaining() >= request.cost());
        }
      }
      return 0;
    });
  }

  @ParameterizedTest
  @EnumSource
  void concurrencyNeverExceedsTheSlots(ConcurrentRunner runner) throws Exception {
    var store = open();
    var slots = Concurrency.of(3).withLease(Duration.ofSeconds(30));
    var inFlight = new AtomicInteger();
    long admitted =
        runner.sum(thread -> {
          long count = 0;
          var plan = plan(slots, "k", 1, thread);
          for (int i = 0; i < concurrentRequests(RACES) / runner.size(); i++) {
            if (!passes(store, plan)) continue;
            count++;
            assertThat(inFlight.incrementAndGet()).isLessThanOrEqualTo(3);
            assertThat(store.renew(charge(plan))).isTrue();
            inFlight.decrementAndGet();
            assertThat(store.release(charge(plan))).isTrue();
          }
          return count;
        });
    assertThat(admitted).isPositive();
    assertThat(decide(store, plan(slots, "k", 3, -1))).isInstanceOf(Passed.class);
  }

  /** A request is admitted only if the slots in flight are then within the limit of that time. */
  @ParameterizedTest
  @EnumSource
  void adaptiveConcurrencyNeverExceedsThePresentLimit(ConcurrentRunner runner) throws Exception {
    var store = open();
    var slots = new AdaptiveConcurrency(2, 6, 4, Duration.ofSeconds(30));
    var inFlight = new AtomicInteger();
    runner.sum(thread -> {
      var outcomes = CallOutcome.values();
      for (int i = 0; i < concurrentRequests(RACES) / runner.size(); i++) {
        var plan = plan(slots, "k", 1, 1_000_000L * thread + i);
        var outcome = decide(store, plan);
        assertThat(outcome.limit()).isBetween(2L, 6L);
        if (!(outcome instanceof Passed)) continue;
        assertThat(outcome.remaining()).isBetween(0L, outcome.limit() - 1);
        assertThat(inFlight.incrementAndGet()).isLessThanOrEqualTo(6);
        inFlight.decrementAndGet();
        var call = new CompletedCall(outcomes[i % outcomes.length], i);
        assertThat(store.release(charge(plan), call)).isTrue();
      }
      return 0;
    });
    var left = decide(store, plan(slots, "k", 0, -1));
    assertThat(left.remaining()).isEqualTo(left.limit());
  }

  @ParameterizedTest
  @EnumSource
  void resetRestoresTheCapacityOnce(ConcurrentRunner runner) throws Exception {
    var store = open();
    var limit = TokenBucket.of(Rate.perHour(10));
    var resets = new AtomicInteger();
    int requests = concurrentRequests(RACES) / runner.size();
    int turn = Math.min(9, requests / 2); // many threads have fewer than ten requests each
    long admitted =
        runner.sum(thread -> {
          long count = 0;
          for (int i = 0; i < requests; i++) {
            if (decide(store, plan(limit, "k")) instanceof Passed) count++;
            if (i % 10 == turn && thread % 4 == 0) {
              resets.incrementAndGet();
              reset(store, plan(limit, "k"));
            }
          }
          return count;
        });
    assertThat(resets).hasPositiveValue();
    assertThat(admitted).isBetween(10L, 10L * (1 + resets.get()));
  }

  /** During a rule change, some instances use the old limit and others the new one. */
  @ParameterizedTest
  @EnumSource
  void limitChangeDoesNotAdmitTwice(ConcurrentRunner runner) throws Exception {
    var store = open();
    var versions =
        List.of(
            RollingWindow.of(Rate.perHour(100)),
            RollingWindow.of(Rate.perDay(100)),
            RollingWindow.of(Rate.perHour(100)));
    long admitted =
        runner.sum(thread -> {
          long count = 0;
          for (int i = 0; i < concurrentRequests(REQUESTS) / runner.size(); i++) {
            var limit = versions.get((thread + i) % versions.size());
            if (decide(store, plan(limit, "k")) instanceof Passed) count++;
          }
          return count;
        });
    assertThat(admitted).isEqualTo(100);
  }

  /** As above, for limits whose states are converted back and forth. */
  @ParameterizedTest
  @EnumSource
  void limitChangeWithConversionDoesNotOverAdmit(ConcurrentRunner runner) throws Exception {
    var store = open();
    var versions = List.of(TokenBucket.of(Rate.perHour(100)), TokenBucket.of(Rate.perDay(100)));
    long admitted =
        runner.sum(thread -> {
          long count = 0;
          for (int i = 0; i < concurrentRequests(REQUESTS) / runner.size(); i++) {
            if (decide(store, plan(versions.get((thread + i) % 2), "k")) instanceof Passed) count++;
          }
          return count;
        });
    assertThat(admitted).isBetween(1L, 100L);
  }

  private static AtomicIntegerArray counts(int keys) {
    return new AtomicIntegerArray(keys);
  }

  private static Map<String, Integer> with(Map<String, Integer> keys, String name, int value) {
    var more = new java.util.HashMap<>(keys);
    more.put(name, value);
    return more;
  }

  private static Subject subject(Map<String, Integer> keys) {
    var attributes = new java.util.HashMap<String, String>();
    keys.forEach((name, key) -> attributes.put(name, "k" + key));
    return Subject.of(attributes);
  }
}
