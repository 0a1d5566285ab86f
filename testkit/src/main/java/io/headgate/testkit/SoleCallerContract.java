package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlotLimit;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The behaviour required of every store with a single caller. {@link SlotContract} and {@link
 * HoldContract} are the parts that concern slots and holds.
 */
public abstract class SoleCallerContract extends HoldContract {

  /**
   * Returns the number of operations of each random history. A store whose operations are slow, and
   * whose arithmetic is that of another store with the full length, may play fewer.
   */
  protected int historyLength() {
    return TestEffort.of(1_000, 2_000);
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void admitsTheCapacityAndThenDenies(Limit limit) {
    var store = open();
    for (long i = 1; i <= limit.capacity(); i++) {
      assertThat(decide(store, plan(limit, "k"))).isInstanceOf(Passed.class);
      assertThat(decide(store, plan(limit, "k", 0)).remaining()).isEqualTo(limit.capacity() - i);
    }
    assertThat(decide(store, plan(limit, "k"))).isInstanceOf(Refused.class);
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void retryTimeIsExact(Limit limit) {
    var store = open();
    var plan = plan(limit, "k");
    exhaust(store, plan);
    clock.sleep(((Refused) decide(store, plan)).retryAfter() - 1);
    assertThat(((Refused) decide(store, plan)).retryAfter()).isEqualTo(1);
    clock.sleep(1);
    assertThat(decide(store, plan)).isInstanceOf(Passed.class);
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void counterIsFreshAfterItsResetTime(Limit limit) {
    var store = open();
    exhaust(store, plan(limit, "k"));
    clock.sleep(decide(store, plan(limit, "k")).resetAfter());
    assertThat(decide(store, plan(limit, "k"))).isEqualTo(decide(store, plan(limit, "another")));
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void clockThatStepsBackGrantsNothing(Limit limit) {
    var store = open();
    long start = clock.micros();
    for (long later : new long[] {999_999, 999_998, 500_000, 1, 0}) {
      clock.set(start + later);
      if (later == 999_999) exhaust(store, plan(limit, "k"));
      assertThat(decide(store, plan(limit, "k"))).isInstanceOf(Refused.class);
    }
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void peekReturnsTheDecisionAndChangesNothing(Limit limit) {
    var store = open();
    var plan = plan(limit, "k");
    for (int i = 0; i < limit.capacity() + 2; i++) {
      var peeked = store.peek(plan).outcomes();
      assertThat(store.peek(plan).outcomes()).isEqualTo(peeked);
      assertThat(store.decide(plan).outcomes()).isEqualTo(peeked);
    }
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void limiterPeeksAtTheStateBeforeTheCharge(Limit limit) {
    var rule = Rule.named("rule").match("key", "*").limit(limit).build();
    var limiter = RateLimiter.with(open(), RuleSet.of(rule));
    var subject = Subject.of("k");
    for (long i = 0; i < limit.capacity() + 2; i++) {
      var present = limiter.checkForResult(Request.of(subject, 0)).limit().orElseThrow();
      var peeked = limiter.peek(subject);
      var report = peeked.limit().orElseThrow();
      assertThat(report.remaining()).isEqualTo(Math.max(0, limit.capacity() - i));
      assertThat(report.remaining()).isEqualTo(present.remaining());
      assertThat(report.resetAfter()).isEqualTo(present.resetAfter());
      var result = limiter.checkForResult(subject);
      assertThat(peeked.isAllowed()).isEqualTo(result.isAllowed());
      assertThat(peeked.delay()).isEqualTo(result.delay());
      assertThat(peeked.violated()).isEqualTo(result.violated());
      clock.sleep(1);
    }
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void resetClearsOneCounterOnly(Limit limit) {
    var store = open();
    exhaust(store, plan(limit, "k"));
    exhaust(store, plan(limit, "other"));
    reset(store, plan(limit, "k"));
    assertThat(decide(store, plan(limit, "k"))).isEqualTo(decide(store, plan(limit, "never seen")));
    assertThat(decide(store, plan(limit, "other"))).isInstanceOf(Refused.class);
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void requestAboveCapacityChargesNothing(Limit limit) {
    var store = open();
    assertThat(decide(store, plan(limit, "k", limit.capacity() + 1)))
        .isInstanceOf(ExceedsCapacity.class);
    assertThat(decide(store, plan(limit, "k"))).isEqualTo(decide(store, plan(limit, "another")));
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void asynchronousDecisionEqualsSynchronousOne(Limit limit) {
    var store = open();
    for (int i = 0; i < limit.capacity() + 1; i++) {
      var later = store.decideAsync(plan(limit, "later")).toCompletableFuture().join();
      assertThat(later.outcomes()).isEqualTo(store.decide(plan(limit, "at once")).outcomes());
    }
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void exhaustedCounterStaysExhaustedWhenTheLimitChanges(Limit limit) {
    var store = open();
    for (var changed : Limits.ofEveryKind(8)) {
      // Concurrency does not convert to or from a rate, and a rolling log is counted again.
      if (changed instanceof SlotLimit || limit instanceof SlotLimit) continue;
      if (changed instanceof RollingWindow && limit instanceof RollingWindow) continue;
      exhaust(store, plan(limit, changed.toString()));
      assertThat(decide(store, plan(changed, changed.toString()))).isInstanceOf(Refused.class);
      assertThat(decide(store, plan(changed, "fresh " + changed))).isInstanceOf(Passed.class);
    }
  }

  @Test
  void keysWithUnusualCharactersAreDistinct() {
    var store = open();
    var limit = FixedWindow.of(Rate.perHour(1));
    for (var key : unusualKeys()) {
      assertThat(decide(store, plan(limit, key))).isInstanceOf(Passed.class);
    }
    for (var key : unusualKeys()) {
      assertThat(decide(store, plan(limit, key))).isInstanceOf(Refused.class);
    }
  }

  private static Set<String> unusualKeys() {
    var keys = new LinkedHashSet<String>();
    keys.addAll(List.of("a", "A", " a", "a ", "a\0", "a\n", "\t", " ", "a b", "a  b", "*", "%"));
    keys.addAll(List.of("{a}", "{a}b", "a{b}", "{}", "}{", "{a", "a}", "{{a}}", "a:b", "a::b"));
    keys.addAll(List.of("\u00e9", "e\u0301", "\u212b", "\u00c5", "\u0130", "i", "\u0131", "\\"));
    keys.addAll(List.of("\u65e5\u672c", "\u65e5", "\u200b", "\u202e", "\uffff", "ss", "\u00df"));
    keys.addAll(List.of("\ud83d\ude00", "\ud83d\ude01", "1:a", "1:a1:b", "0", "00", "0.0", "null"));
    keys.addAll(List.of("AaAa", "BBBB", "AaBB", "BBAa")); // equal hash codes
    var longKey = "k".repeat(Subject.MAX_VALUE_LENGTH - 1);
    keys.addAll(List.of(longKey, longKey + "1", longKey + "2", "1" + longKey));
    keys.add("\u65e5".repeat(Subject.MAX_VALUE_LENGTH));
    return keys;
  }

  @Test
  void countersOfDifferentRulesAndLimitsAreDistinct() {
    var store = open();
    var names = "a,b b,a a:b,c a,b:c a/b,c a,b/c a.b,c a-b,c A,b a,B ab,ab aba,b a:,b a,:b";
    for (var expected : List.of(Passed.class, Refused.class)) {
      for (var name : names.split(" ", -1)) {
        var limit = RuleLimit.of(name.split(",", -1)[1], FixedWindow.of(Rate.perHour(1)));
        var rule = Rule.named(name.split(",", -1)[0]).match("key", "*").limit(limit).build();
        var plan = RuleSet.of(rule).plan(Request.of(Subject.of("k")), 0, 0);
        assertThat(decide(store, plan)).as(name).isInstanceOf(expected);
      }
    }
  }

  @Test
  void counterMayBeSharedByAllCallers() {
    var store = open();
    var rule = Rule.named("all").match("key", "*").per().limit(FixedWindow.of(Rate.perHour(2)));
    var rules = RuleSet.of(rule.build());
    assertThat(
            Stream.of("a", "b", "c")
                .map(key -> decide(store, rules.plan(Request.of(Subject.of(key)), 0, 0))))
        .hasExactlyElementsOfTypes(Passed.class, Passed.class, Refused.class);
  }

  @Test
  void denialByOneLimitChargesNoOther() {
    var store = open();
    var rule = Rule.named("several").match("key", "*");
    rule.limit(RuleLimit.of("tight", RollingWindow.of(Rate.perHour(1))));
    var others = Limits.ofEveryKind(50);
    for (int i = 0; i < others.size(); i++) rule.limit(RuleLimit.of("l" + i, others.get(i)));
    var plan = RuleSet.of(rule.build()).plan(Request.of(Subject.of("k")), 0, 1);
    assertThat(decide(store, plan)).isInstanceOf(Passed.class);
    clock.advance(Duration.ofSeconds(90)); // the leaky bucket has capacity again
    var before = store.peek(plan).outcomes();
    for (int i = 0; i < 60; i++) store.decide(plan);
    assertThat(store.peek(plan).outcomes()).isEqualTo(before);
    assertThat(before.getFirst()).isInstanceOf(Refused.class);
    assertThat(before.subList(1, before.size())).hasOnlyElementsOfType(Passed.class);
  }

  @Test
  void emptyPlanHasNoOutcomes() {
    var store = open();
    var plan = RuleSet.of(List.of()).plan(Request.of(Subject.of("k")), 0, 0);
    assertThat(store.decide(plan).outcomes()).isEmpty();
    assertThat(store.peek(plan).outcomes()).isEmpty();
    assertThat(store.trackedKeys()).isZero();
  }

  @Test
  void tracksCountersWithState() {
    var store = open();
    var limit = RollingWindow.of(Rate.perMinute(10)); // a reset of it needs no record
    for (int i = 0; i < 500; i++) decide(store, plan(limit, "k" + i % 100));
    for (int i = 0; i < 500; i++) store.peek(plan(limit, "peeked" + i));
    assertThat(store.trackedKeys()).isEqualTo(100);
    reset(store, plan(limit, "k7"));
    assertThat(store.trackedKeys()).isEqualTo(99);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void equalsReferenceStoreWhileRulesChange(long seed) {
    RandomHistory.ofChangingRules(seed, clock).play(open(), historyLength());
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
  void equalsReferenceStoreWhileTheClockStepsBack(long seed) {
    RandomHistory.ofStepsBack(seed, clock).play(open(), historyLength());
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24})
  void equalsReferenceStoreWhileTenantsShareLimitsFairly(long seed) {
    RandomHistory.ofFairShares(seed, clock).play(open(), historyLength());
  }

  @ParameterizedTest
  @ValueSource(longs = {31, 32, 33, 34})
  void equalsReferenceStoreWhileLimitsAdapt(long seed) {
    RandomHistory.ofAdaptiveLimits(seed, clock).play(open(), historyLength());
  }

  /** The number of slots after each call is that of the reference, through calm and overload. */
  @Test
  void adaptiveLimitFollowsTheCallsLikeTheReferenceStore() {
    var store = open();
    var reference = new ReferenceStore(clock);
    var limit = AdaptiveConcurrency.between(2, 60).withInitial(10);
    var random = new Random(1);
    long changes = 0;
    long last = 0;
    int calls = TestEffort.of(900, 1_500); // of three phases, or of five
    for (int i = 0; i < calls; i++) {
      boolean overload = i / 300 % 2 == 1;
      var plan = plan(limit, "k", 1, i);
      var outcome = decide(store, plan);
      assertThat(outcome).as("call %d", i).isEqualTo(decide(reference, plan));
      if (outcome.limit() != last) changes++;
      last = outcome.limit();
      clock.advance(Duration.ofNanos(1_000 * random.nextLong(2_000)));
      // The oldest of several calls in flight ends.
      var ended = charge(plan(limit, "k", 1, i - 8L));
      long micros = (overload ? 40_000 : 5_000) + random.nextLong(1_000);
      boolean dropped = overload && random.nextInt(3) == 0;
      var call = new CompletedCall(dropped ? CallOutcome.DROPPED : CallOutcome.SUCCESS, micros);
      assertThat(store.release(ended, call)).isEqualTo(reference.release(ended, call));
    }
    assertThat(changes).as("changes of the limit").isGreaterThan(3);
  }

  @Test
  void onlyACallThatHoldsASlotIsLearnedFromAndOnlyOnce() {
    var store = open();
    var limit = new AdaptiveConcurrency(1, 8, 8, Duration.ofSeconds(30));
    var dropped = new CompletedCall(CallOutcome.DROPPED, 1_000);
    var first = plan(limit, "k", 1, 1);
    decide(store, first);
    for (int i = 0; i < 300; i++) {
      assertThat(store.release(charge(plan(limit, "k", 1, 7)), dropped)).isFalse();
    }
    clock.advance(Duration.ofSeconds(30));
    for (int i = 0; i < 300; i++) assertThat(store.release(charge(first), dropped)).isFalse();
    assertThat(decide(store, plan(limit, "k", 0, 2))).isEqualTo(new Passed(8, 0, 0, 8));
    for (int i = 10; i < 310; i++) {
      decide(store, plan(limit, "k", 1, i));
      assertThat(store.release(charge(plan(limit, "k", 1, i)))).as("no outcome").isTrue();
    }
    assertThat(decide(store, plan(limit, "k", 0, 2))).isEqualTo(new Passed(8, 0, 0, 8));
    decide(store, plan(limit, "k", 1, 400));
    assertThat(store.release(charge(plan(limit, "k", 1, 400)), dropped)).isTrue();
    assertThat(store.release(charge(plan(limit, "k", 1, 400)), dropped)).isFalse();
  }

  @Test
  void droppedCallsLowerAnAdaptiveLimitToItsMinimumAndAResetRestoresIt() {
    var store = open();
    var limit = new AdaptiveConcurrency(3, 40, 40, Duration.ofSeconds(30));
    var longest = new CompletedCall(CallOutcome.DROPPED, CompletedCall.MAX_MICROS);
    int last = 2_000;
    for (int i = 0; i < last; i++) {
      var plan = plan(limit, "k", 1, i);
      // At the minimum, further dropped calls change nothing.
      if (decide(store, plan).limit() == 3) last = Math.min(last, i + 200);
      clock.advance(Duration.ofMillis(20));
      store.release(charge(plan), longest);
    }
    assertThat(decide(store, plan(limit, "k", 0, -1)).limit()).isEqualTo(3);
    clock.advance(AdaptiveConcurrency.RETENTION.minusSeconds(1));
    assertThat(decide(store, plan(limit, "k", 0, -1)).limit()).isEqualTo(3);
    reset(store, plan(limit, "k"));
    assertThat(decide(store, plan(limit, "k", 0, -1)).limit()).isEqualTo(40);
  }
}
