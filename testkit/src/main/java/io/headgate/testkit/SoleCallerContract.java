package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The behaviour required of every store with a single caller. */
abstract class SoleCallerContract extends StoreScenario {

  static Stream<Limit> everyKind() {
    return Limits.ofEveryKind(4).stream();
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

  @Test
  void slotIsHeldUntilReleased() {
    var store = open();
    var slots = Concurrency.of(2).withLease(Duration.ofSeconds(30));
    var first = plan(slots, "k", 1, 1);
    var second = plan(slots, "k", 1, 2);
    var third = plan(slots, "k", 1, 3);
    assertThat(decide(store, first)).isInstanceOf(Passed.class);
    assertThat(decide(store, second)).isInstanceOf(Passed.class);
    assertThat(decide(store, third)).isInstanceOf(Refused.class);
    assertThat(store.release(charge(third))).isFalse();
    assertThat(store.release(charge(first))).isTrue();
    assertThat(store.release(charge(first))).isFalse();
    assertThat(decide(store, third)).isInstanceOf(Passed.class);
    assertThat(decide(store, first)).isInstanceOf(Refused.class);
  }

  @Test
  void slotExpiresUnlessRenewed() {
    var store = open();
    var slots = Concurrency.of(1).withLease(Duration.ofSeconds(30));
    var first = plan(slots, "k", 1, 1);
    var second = plan(slots, "k", 1, 2);
    decide(store, first);
    clock.advance(Duration.ofSeconds(29));
    assertThat(store.renew(charge(first))).isTrue();
    clock.advance(Duration.ofSeconds(29));
    assertThat(decide(store, second)).isInstanceOf(Refused.class);
    clock.advance(Duration.ofSeconds(1));
    assertThat(store.renew(charge(first))).isFalse();
    assertThat(decide(store, second)).isInstanceOf(Passed.class);
    assertThat(store.release(charge(first))).isFalse();
  }

  @Test
  void onlySlotsCanBeRenewedOrReleased() {
    var store = open();
    var plan = plan(TokenBucket.of(Rate.perMinute(1)), "k");
    decide(store, plan);
    assertThat(store.renew(charge(plan))).isFalse();
    assertThat(store.release(charge(plan))).isFalse();
    assertThat(decide(store, plan)).isInstanceOf(Refused.class);
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void exhaustedCounterStaysExhaustedWhenTheLimitChanges(Limit limit) {
    var store = open();
    for (var changed : Limits.ofEveryKind(8)) {
      // Concurrency does not convert to or from a rate, and a rolling log is counted again.
      if (changed instanceof Concurrency || limit instanceof Concurrency) continue;
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
    var limit = TokenBucket.of(Rate.perMinute(10));
    for (int i = 0; i < 500; i++) decide(store, plan(limit, "k" + i % 100));
    for (int i = 0; i < 500; i++) store.peek(plan(limit, "peeked" + i));
    assertThat(store.trackedKeys()).isEqualTo(100);
    reset(store, plan(limit, "k7"));
    assertThat(store.trackedKeys()).isEqualTo(99);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void equalsReferenceStoreWhileRulesChange(long seed) {
    RandomHistory.ofChangingRules(seed, clock).play(open(), 2_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
  void equalsReferenceStoreWhileTheClockStepsBack(long seed) {
    RandomHistory.ofStepsBack(seed, clock).play(open(), 2_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24})
  void equalsReferenceStoreWhileTenantsShareLimitsFairly(long seed) {
    RandomHistory.ofFairShares(seed, clock).play(open(), 2_000);
  }
}
