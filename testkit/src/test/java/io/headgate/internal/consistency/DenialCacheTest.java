package io.headgate.internal.consistency;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.testkit.ReferenceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests how long denials are repeated locally, for strict and for leased rules. */
class DenialCacheTest {
  private static final Limit ONE_PER_HOUR = TokenBucket.of(Rate.perHour(1));

  private final Fleet fleet = new Fleet(1, rule(Consistency.STRICT, ONE_PER_HOUR));

  private static Rule rule(Consistency consistency, Limit limit) {
    return Rule.named("r").match("key", "*").limit(limit).consistency(consistency).build();
  }

  /** Lets an instance deny from its cache, by rules of a consistency mode. */
  private void denyFromCache(Consistency mode) {
    fleet.rules = RuleSet.of(rule(mode, ONE_PER_HOUR));
    fleet.first().store.subscribed();
    while (fleet.first().check("k")) {}
    assertThat(decide().source()).isEqualTo(Source.CACHE);
  }

  private PlanResult decide() {
    return fleet.first().decide(plan());
  }

  private Plan plan() {
    return fleet.plan(Subject.of("k"), 1);
  }

  /** Makes permits available in the store, without any notification. */
  private void resetInStore() {
    var charge = plan().charges().getFirst();
    fleet.shared.reset(charge.counter(), charge.key());
  }

  private String name() {
    var charge = plan().charges().getFirst();
    return Fleet.nameOf(charge.counter(), charge.key());
  }

  @ParameterizedTest
  @EnumSource(names = {"STRICT", "LEASED"})
  void returnedPermitsEndTheDenial(Consistency mode) {
    denyFromCache(mode);
    resetInStore();
    assertThat(fleet.first().check("k")).isFalse();
    fleet.first().store.permitsReturned(name());
    assertThat(fleet.first().check("k")).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"STRICT", "LEASED"})
  void resetByAnotherInstanceEndsTheDenial(Consistency mode) {
    denyFromCache(mode);
    resetInStore();
    fleet.first().store.counterReset(name());
    assertThat(fleet.first().check("k")).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"STRICT", "LEASED"})
  void resetByThisInstanceEndsTheDenial(Consistency mode) {
    denyFromCache(mode);
    var charge = plan().charges().getFirst();
    fleet.first().store.reset(charge.counter(), charge.key());
    assertThat(fleet.first().check("k")).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"STRICT", "LEASED"})
  void changeOfAnotherCounterLeavesTheDenial(Consistency mode) {
    denyFromCache(mode);
    fleet.first().store.permitsReturned(name() + "2");
    fleet.first().store.counterReset(name() + "2");
    assertThat(decide().source()).isEqualTo(Source.CACHE);
  }

  @ParameterizedTest
  @EnumSource(names = {"STRICT", "LEASED"})
  void changedLimitEndsTheDenial(Consistency mode) {
    denyFromCache(mode);
    fleet.rules = RuleSet.of(rule(mode, TokenBucket.of(Rate.perHour(10))));
    assertThat(decide().source()).isEqualTo(Source.STORE);
  }

  @ParameterizedTest
  @EnumSource(names = {"STRICT", "LEASED"})
  void lostNotificationDelaysTheChangeByAtMostASecond(Consistency mode) {
    denyFromCache(mode);
    resetInStore();
    fleet.ticker.advance(Duration.ofMillis(999));
    assertThat(fleet.first().check("k")).isFalse();
    fleet.ticker.advance(Duration.ofMillis(1));
    assertThat(fleet.first().check("k")).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"STRICT", "LEASED"})
  void repeatedDenialHasTheRetryTimeOfTheStore(Consistency mode) {
    denyFromCache(mode);
    var first = (Refused) decide().first();
    fleet.ticker.advance(Duration.ofMillis(300));
    var second = (Refused) decide().first();
    assertThat(first.retryAfter() - second.retryAfter()).isEqualTo(300_000);
    var stored = (Refused) fleet.shared.peek(plan()).first();
    assertThat(second.retryAfter()).isBetween(stored.retryAfter(), stored.retryAfter() + 500_000);
  }

  @Test
  void lostSubscriptionEndsDenialsOfStrictRules() {
    denyFromCache(Consistency.STRICT);
    fleet.first().store.disconnected();
    for (int i = 0; i < 3; i++) assertThat(decide().source()).isEqualTo(Source.STORE);
  }

  /** The leased denial is not exact: permits that instances hold may be released earlier. */
  @Test
  void strictRuleDoesNotRepeatTheDenialOfALeasedOne() {
    denyFromCache(Consistency.LEASED);
    fleet.rules = RuleSet.of(rule(Consistency.STRICT, ONE_PER_HOUR));
    assertThat(decide().source()).isEqualTo(Source.STORE);
  }

  /** The store reads its clock during a decision, which is when the notification arrives. */
  @Test
  void notificationThatOvertakesTheReplyEndsTheDenialOfAStrictRule() {
    var notified = new ArrayList<String>();
    var denials = new ArrayList<DenialCache>();
    var store =
        new ReferenceStore(() -> {
          notified.forEach(denials.getFirst()::invalidate);
          return fleet.ticker.micros();
        });
    denials.add(new DenialCache(store, Fleet::nameOf, System::nanoTime));
    var cache = denials.getFirst();
    cache.enable();
    var plan = fleet.rules.plan(Request.of(Subject.of("k")), 0, 0);
    cache.decide(plan);
    notified.add(name());
    for (int i = 0; i < 3; i++) assertThat(cache.decide(plan).source()).isEqualTo(Source.STORE);
    notified.clear();
    cache.decide(plan);
    assertThat(cache.decide(plan).source()).isEqualTo(Source.CACHE);
  }

  @Test
  void notificationThatOvertakesTheReplyEndsTheDenialOfALeasedRule() {
    fleet.rules = RuleSet.of(rule(Consistency.LEASED, ONE_PER_HOUR));
    var instance = fleet.first();
    assertThat(instance.check("k")).isTrue();
    instance.delayedReplies = new ArrayList<>();
    var late = instance.store.decideAsync(plan()).toCompletableFuture();
    assertThat(Objects.requireNonNull(instance.delayedReplies)).hasSize(1);
    resetInStore();
    instance.store.permitsReturned(name());
    instance.deliverReplies();
    assertThat(late.join().first()).isInstanceOf(Refused.class);
    instance.delayedReplies = null;
    assertThat(instance.check("k")).isTrue();
  }

  @Test
  void refusalOfAReplacedLimitIsNotRepeated() {
    fleet.rules = RuleSet.of(rule(Consistency.LEASED, ONE_PER_HOUR));
    var instance = fleet.first();
    assertThat(instance.check("k")).isTrue();
    instance.delayedReplies = new ArrayList<>();
    var late = instance.store.decideAsync(plan()).toCompletableFuture();
    fleet.rules = RuleSet.of(rule(Consistency.LEASED, TokenBucket.of(Rate.perHour(1_000))));
    var atZeroCost = fleet.plan(Subject.of("k"), 0);
    var unused = instance.store.decideAsync(atZeroCost); // the lease follows the change
    instance.deliverReplies();
    assertThat(late.join().first()).isInstanceOf(Refused.class);
    instance.delayedReplies = null;
    assertThat(decide().source()).isEqualTo(Source.STORE);
  }
}
