package io.headgate.internal.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HeldState;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ConsistencyOptions;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LeasedTest {
  private static final Duration TICK = Duration.ofMillis(1);

  private static Rule rule(Limit limit) {
    return Rule.named("r").match("key", "*").limit(limit).consistency(Consistency.LEASED).build();
  }

  private static Limit thousandPerSecond(String algorithm) {
    var rate = Rate.perSecond(1_000);
    return switch (algorithm) {
      case "token-bucket" -> TokenBucket.of(rate);
      case "fixed-window" -> FixedWindow.of(rate);
      case "sliding-window" -> SlidingWindow.of(rate);
      default -> throw new IllegalArgumentException(algorithm);
    };
  }

  /** Sends {@code perTick} requests per millisecond, round robin; returns how many passed. */
  private static int load(Fleet fleet, Duration time, int perTick) {
    int passed = 0;
    int turn = 0;
    for (long t = 0; t < time.toMillis(); t++) {
      for (int i = 0; i < perTick; i++) {
        var instance = fleet.instances.get(turn++ % fleet.instances.size());
        if (instance.check("hot")) passed++;
      }
      fleet.ticker.advance(TICK);
      if (t % 50 == 0) fleet.instances.forEach(instance -> instance.store.sync().run());
    }
    return passed;
  }

  private static int calls(Fleet fleet) {
    return fleet.instances.stream().mapToInt(instance -> instance.calls).sum();
  }

  @Test
  void infrequentCallersAreDecidedByTheStore() {
    var fleet = new Fleet(2, rule(TokenBucket.of(Rate.perMinute(100))));
    for (int i = 0; i < 5; i++) {
      assertThat(fleet.first().check("user:" + i)).isTrue();
      fleet.run(Duration.ofSeconds(2));
    }
    assertThat(fleet.first().calls).isEqualTo(5);
  }

  @Test
  void overrideOnAnotherAttributeHasItsOwnPermits() {
    var rule =
        Rule.named("r")
            .match("user", "*")
            .limit(TokenBucket.of(Rate.of(10_000, Duration.ofHours(10))))
            .override("method", "POST", TokenBucket.of(Rate.of(5_000, Duration.ofHours(10))))
            .consistency(Consistency.LEASED)
            .build();
    var fleet = new Fleet(1, rule);
    for (int i = 0; i < 2_000; i++) {
      var ann = Subject.of("user", "ann").with("method", i % 2 == 0 ? "GET" : "POST");
      assertThat(fleet.first().check(ann, 1)).as("request %d", i).isTrue();
      fleet.ticker.advance(TICK);
      if (i % 50 == 0) fleet.first().store.sync().run();
    }
  }

  @ParameterizedTest
  @CsvSource({"token-bucket, 3900, 20", "fixed-window, 3900, 10", "sliding-window, 3800, 3"})
  void frequentCallersNeedOneCallForManyDecisions(
      String algorithm, int minPassed, int decisionsPerCall) {
    var fleet = new Fleet(5, rule(thousandPerSecond(algorithm)));
    int passed = load(fleet, Duration.ofSeconds(4), 1); // exactly the limit
    assertThat(passed).isGreaterThan(minPassed);
    assertThat(calls(fleet)).isLessThan(4_000 / decisionsPerCall);
  }

  @ParameterizedTest
  @ValueSource(strings = {"token-bucket", "fixed-window", "sliding-window"})
  void overloadAdmitsNearlyTheLimitAndNeverMore(String algorithm) {
    var fleet = new Fleet(5, rule(thousandPerSecond(algorithm)));
    load(fleet, Duration.ofSeconds(2), 5); // uses up the initial burst
    int passed = load(fleet, Duration.ofSeconds(10), 5);
    assertThat(passed).isBetween(9_800, 10_000);
    assertThat(calls(fleet)).isLessThan(60_000 / 20);
  }

  @Test
  void steadyTrafficIsDecidedFromTheLease() {
    var fleet = new Fleet(1, rule(thousandPerSecond("token-bucket")));
    load(fleet, Duration.ofSeconds(1), 1);
    for (int i = 0; i < 1_000; i++) {
      var result = fleet.first().decide(fleet.plan(Subject.of("hot"), 1));
      assertThat(result.source()).isEqualTo(Source.LEASE);
      fleet.ticker.advance(TICK);
    }
  }

  @Test
  void unusedPermitsAreReleasedToOtherInstances() {
    var fleet = new Fleet(2, rule(TokenBucket.of(Rate.perHour(1_000))));
    load(fleet, Duration.ofMillis(200), 1);
    int passed = 200;
    fleet.run(Duration.ofSeconds(8)); // over a quarter of the lease of 30 s
    var second = fleet.instances.get(1);
    while (second.check("hot")) passed++;
    assertThat(passed).isBetween(1_000, 1_002);
  }

  @Test
  void permitsSpentLateInAWindowDoNotCountInTheNext() {
    var window = Duration.ofSeconds(10);
    var fleet = new Fleet(1, rule(FixedWindow.of(Rate.of(100, window))));
    long into = fleet.ticker.micros() % 10_000_000;
    fleet.ticker.advance(Duration.ofNanos((18_000_000 - into) * 1_000)); // 8 s into the next window
    int passed = 0;
    for (; fleet.first().check("hot"); passed++) fleet.ticker.advance(TICK);
    assertThat(passed).isEqualTo(100);
    fleet.run(Duration.ofSeconds(3));
    for (passed = 0; fleet.first().check("hot"); passed++) fleet.ticker.advance(TICK);
    assertThat(passed).isEqualTo(100);
  }

  @Test
  void repeatedRequestsUnderALongLeaseNeedOneCall() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perMinute(1_000))));
    for (int i = 0; i < 5; i++) {
      assertThat(fleet.first().check("hot")).isTrue();
      fleet.ticker.advance(Duration.ofSeconds(1));
    }
    assertThat(fleet.first().calls).isEqualTo(1);
  }

  @Test
  void holdOfACrashedInstanceExpires() {
    var fleet = new Fleet(2, rule(FixedWindow.of(Rate.of(1_000, Duration.ofSeconds(10)))));
    load(fleet, Duration.ofMillis(400), 1);
    fleet.first().disconnected = true; // as after a crash
    var second = fleet.instances.get(1);
    int passed = 400;
    while (second.check("hot")) passed++;
    assertThat(passed).isLessThan(1_000);
    fleet.ticker.advance(Duration.ofSeconds(10));
    passed = 0;
    while (second.check("hot")) passed++;
    assertThat(passed).isGreaterThanOrEqualTo(950);
  }

  @Test
  void closeReleasesHoldsAndReportsSpentPermits() {
    var fleet = new Fleet(2, rule(TokenBucket.of(Rate.perHour(1_000))));
    int passed = load(fleet, Duration.ofMillis(300), 1);
    fleet.instances.forEach(instance -> instance.store.close());
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).first().remaining();
    assertThat(left).isEqualTo(1_000 - passed);
  }

  @Test
  void lostReplyNeverOverAdmits() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perDay(1_000))));
    int passed = load(fleet, Duration.ofMillis(100), 1);
    fleet.first().losingReplies = true;
    for (int i = 0; i < 300; i++) {
      try {
        if (fleet.first().check("hot")) passed++;
      } catch (StoreException e) {
        // The rule's failure policy decides.
      }
      fleet.ticker.advance(TICK);
    }
    fleet.first().losingReplies = false;
    fleet.run(Duration.ofMinutes(1));
    while (fleet.first().check("hot")) passed++;
    assertThat(passed).isLessThanOrEqualTo(1_000);
  }

  @Test
  void leaseIsSpentDuringAnOutageBeforeRequestsFail() {
    var fleet = new Fleet(1, rule(thousandPerSecond("token-bucket")));
    load(fleet, Duration.ofSeconds(1), 1);
    fleet.first().disconnected = true;
    assertThat(fleet.first().check("hot")).isTrue();
    fleet.ticker.advance(Duration.ofSeconds(1));
    assertThatThrownBy(() -> fleet.first().check("hot")).isInstanceOf(StoreException.class);
  }

  @Test
  void resetTakesEffectAtOnce() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perDay(10))));
    while (fleet.first().check("hot")) {}
    var counter = fleet.plan(Subject.of("hot"), 1).charges().getFirst();
    fleet.first().store.reset(counter.counter(), counter.key());
    assertThat(fleet.first().check("hot")).isTrue();
  }

  @Test
  void changedLimitAppliesFromTheNextCheck() {
    var fleet = new Fleet(2, rule(TokenBucket.of(Rate.perDay(1_000))));
    int before = load(fleet, Duration.ofMillis(500), 1);
    assertThat(before).isEqualTo(500);
    fleet.rules = RuleSet.of(rule(TokenBucket.of(Rate.perDay(100))));
    int after = 0;
    for (int i = 0; i < 1_000; i++) {
      if (fleet.instances.get(i % 2).check("hot")) after++;
    }
    assertThat(after).isLessThanOrEqualTo(50);
  }

  @Test
  void ruleMadeStrictIsExactWhileHoldsExist() {
    var fleet = new Fleet(2, rule(TokenBucket.of(Rate.perDay(1_000))));
    int passed = load(fleet, Duration.ofMillis(400), 1);
    var strict = Rule.named("r").match("key", "*").limit(TokenBucket.of(Rate.perDay(1_000)));
    fleet.rules = RuleSet.of(strict.build());
    while (fleet.first().check("hot")) passed++;
    fleet.rules = RuleSet.of(rule(TokenBucket.of(Rate.perDay(1_000))));
    while (fleet.instances.get(1).check("hot")) passed++;
    assertThat(passed).isLessThanOrEqualTo(1_000);
  }

  @Test
  void planOfSeveralRulesIsAllOrNothing() {
    var wide = Rule.named("all").per().limit(TokenBucket.of(Rate.perDay(10_000)));
    var narrow = Rule.named("one").match("key", "*").limit(TokenBucket.of(Rate.perDay(500)));
    var fleet =
        new Fleet(
            2,
            wide.consistency(Consistency.LEASED).build(),
            narrow.consistency(Consistency.LEASED).build());
    int passed = load(fleet, Duration.ofSeconds(1), 1);
    assertThat(passed).isBetween(400, 500);
    fleet.instances.forEach(instance -> instance.store.close());
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).outcomes();
    assertThat(left.getFirst().remaining()).isEqualTo(10_000 - passed);
    assertThat(left.getLast().remaining()).isEqualTo(500 - passed);
  }

  @Test
  void denialOfAStrictRuleSpendsNoLeasedPermits() {
    var strict = Rule.named("strict").match("key", "*").limit(TokenBucket.of(Rate.perDay(300)));
    var fleet = new Fleet(2, rule(TokenBucket.of(Rate.perDay(10_000))), strict.build());
    int passed = load(fleet, Duration.ofSeconds(1), 1);
    assertThat(passed).isEqualTo(300);
    fleet.instances.forEach(instance -> instance.store.close());
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).outcomes();
    assertThat(left.getFirst().remaining()).isEqualTo(10_000 - 300);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void limitsThatAreNotHoldableAreDecidedStrictly(int which) {
    Limit limit =
        switch (which) {
          case 0 -> LeakyBucket.of(Rate.perSecond(1_000)).withQueue(10);
          case 1 -> RollingWindow.of(Rate.perSecond(1_000));
          case 2 -> Concurrency.of(1_000);
          default -> AdaptiveConcurrency.between(500, 1_000);
        };
    var fleet = new Fleet(1, rule(limit));
    load(fleet, Duration.ofMillis(100), 1);
    assertThat(fleet.first().calls).isEqualTo(100);
  }

  @Test
  void countersBeyondTheMaximumAreDecidedStrictly() {
    var options = ConsistencyOptions.DEFAULT.withMaxKeys(3);
    var fleet = new Fleet(1, options, rule(TokenBucket.of(Rate.perMinute(100))));
    for (int i = 0; i < 10; i++) {
      for (int j = 0; j < 100; j++) assertThat(fleet.first().check("user:" + i)).isTrue();
    }
    assertThat(fleet.first().check("user:9")).isFalse();
  }

  @Test
  void hotCounterOfAnAutoRuleIsLeasedUntilItCools() {
    var auto = Rule.named("r").match("key", "*").limit(TokenBucket.of(Rate.perSecond(10_000)));
    var fleet = new Fleet(1, auto.consistency(Consistency.AUTO).build());
    load(fleet, Duration.ofSeconds(2), 1);
    int before = calls(fleet);
    load(fleet, Duration.ofSeconds(1), 1);
    assertThat(calls(fleet) - before).isLessThan(100);
    assertThat(fleet.first().store.hotKeys(10))
        .singleElement()
        .satisfies(hot -> {
          assertThat(hot.key()).isEqualTo("hot");
          assertThat(hot.leased()).isTrue();
          assertThat(hot.perSecond()).isBetween(500.0, 2_000.0);
        });
    fleet.run(Duration.ofSeconds(30));
    assertThat(fleet.first().store.hotKeys(10)).isEmpty();
    before = calls(fleet);
    assertThat(fleet.first().check("hot")).isTrue();
    assertThat(calls(fleet) - before).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"STRICT, false", "LEASED, true"})
  void hotCountersOfStrictAndLeasedRulesAreListed(Consistency mode, boolean leased) {
    var limit = TokenBucket.of(Rate.perSecond(10_000));
    var rule = Rule.named("r").match("key", "*").limit(limit).consistency(mode).build();
    var fleet = new Fleet(1, rule);
    load(fleet, Duration.ofSeconds(3), 1);
    fleet.first().check("cold");
    assertThat(fleet.first().store.hotKeys(10))
        .singleElement()
        .satisfies(hot -> {
          assertThat(hot.rule()).isEqualTo("r");
          assertThat(hot.key()).isEqualTo("hot");
          assertThat(hot.leased()).isEqualTo(leased);
          assertThat(hot.perSecond()).isBetween(500.0, 2_000.0);
        });
    assertThat(fleet.first().store.hotKeys(0)).isEmpty();
  }

  @Test
  void leasedCounterIsNotListedAfterItHasCooled() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perHour(1_000_000))));
    load(fleet, Duration.ofSeconds(1), 1);
    assertThat(fleet.first().store.hotKeys(10)).hasSize(1);
    fleet.ticker.advance(Duration.ofSeconds(20)); // the lease lasts longer
    assertThat(fleet.first().store.hotKeys(10)).isEmpty();
  }

  private static long left(Fleet fleet) {
    return fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).first().remaining();
  }

  /** With 5% used and up to half held, a limit of a hundredth of the capacity is not exhausted. */
  @Test
  void loweredLimitConvertsHoldsInProportion() {
    var fleet = new Fleet(5, rule(TokenBucket.of(Rate.perMinute(10_000))));
    int passed = load(fleet, Duration.ofMillis(500), 1);
    assertThat(passed).isEqualTo(500);
    fleet.rules = RuleSet.of(rule(TokenBucket.of(Rate.perMinute(100))));
    for (var instance : fleet.instances) assertThat(instance.check("hot")).isTrue();
    fleet.instances.forEach(instance -> instance.store.close()); // releases unused permits
    assertThat(left(fleet)).isBetween(85L, 91L);
  }

  @Test
  void limitThatIsNotHoldableChargesExistingHolds() {
    var fleet = new Fleet(5, rule(TokenBucket.of(Rate.of(1_000, Duration.ofHours(10)))));
    int passed = load(fleet, Duration.ofMillis(750), 1);
    assertThat(passed).isEqualTo(750);
    fleet.rules = RuleSet.of(rule(RollingWindow.of(Rate.of(1_000, Duration.ofHours(10)))));
    for (int i = 0; i < 5_000; i++) if (fleet.instances.get(i % 5).check("hot")) passed++;
    assertThat(passed).isLessThanOrEqualTo(1_000);
  }

  @Test
  void releasingAHoldOfAReplacedLimitLeavesTheNewState() {
    var fleet = new Fleet(1, rule(thousandPerSecond("token-bucket")));
    load(fleet, Duration.ofMillis(600), 1);
    fleet.rules = RuleSet.of(rule(Concurrency.of(3).withLease(Duration.ofMinutes(5))));
    int inFlight = 0;
    for (int i = 0; i < 5; i++) if (fleet.first().check("hot")) inFlight++;
    fleet.run(Duration.ofSeconds(3));
    for (int i = 0; i < 5; i++) if (fleet.first().check("hot")) inFlight++;
    assertThat(inFlight).isEqualTo(3);
  }

  @Test
  void withoutRoomForAnotherHolderTheStoreDecides() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perMinute(100_000))));
    var charge = fleet.plan(Subject.of("hot"), 0).charges().getFirst();
    for (int holder = 0; holder < HeldState.MAX_HOLDERS; holder++) {
      fleet.shared.as(1_000 + holder).hold(charge, Usage.NONE, 10, 60_000_000);
    }
    assertThat(load(fleet, Duration.ofSeconds(3), 1)).isEqualTo(3_000);
  }

  /** A failover loses the hold, half of which was spent before. */
  @Test
  void usageOfALostHoldIsChargedWithTheNextReport() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perDay(1_000))));
    int passed = load(fleet, Duration.ofMillis(200), 1);
    var charge = fleet.plan(Subject.of("hot"), 1).charges().getFirst();
    long known = 1_000 - left(fleet);
    fleet.shared.reset(
        charge.counter(), charge.key()); // as if all of it was in the unreplicated writes
    long reported = passed;
    for (int i = 0; i < 40; i++) if (fleet.first().check("hot")) passed++;
    fleet.first().store.close();
    long charged = 1_000 - left(fleet);
    assertThat(charged).isBetween(40L, (long) passed);
    assertThat(passed - charged).isLessThanOrEqualTo(known).isLessThanOrEqualTo(reported);
  }
}
