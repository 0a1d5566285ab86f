package io.headgate.internal.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ConsistencyOptions;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EventualTest {
  private static final Duration SYNC_INTERVAL = ConsistencyOptions.DEFAULT.syncInterval();

  private static Rule rule(Limit limit) {
    return Rule.named("r").match("key", "*").limit(limit).consistency(Consistency.EVENTUAL).build();
  }

  private static void report(Fleet fleet) {
    fleet.ticker.advance(SYNC_INTERVAL);
    fleet.instances.forEach(instance -> instance.store.sync().run()); // reports its own counts
    fleet.instances.forEach(instance -> instance.check("hot", 0));
    fleet.instances.forEach(instance -> instance.store.sync().run()); // and receives the others'
  }

  private static int checkUntilDenied(Fleet.Instance instance) {
    int passed = 0;
    while (instance.check("hot")) passed++;
    return passed;
  }

  @Test
  void onlyReportsAreSentToTheStore() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perSecond(1_000))));
    for (int i = 0; i < 500; i++) {
      var result = fleet.first().decide(fleet.plan(Subject.of("hot"), 1));
      assertThat(result.source()).isEqualTo(Source.CACHE);
    }
    report(fleet);
    assertThat(fleet.first().calls).isLessThanOrEqualTo(3);
  }

  @Test
  void aShadowRuleThatRefusesChargesNoneOfItsLimits() {
    var rule =
        Rule.named("r")
            .match("key", "*")
            .mode(Mode.SHADOW)
            .limit(RuleLimit.of("few", FixedWindow.of(Rate.perHour(3))))
            .limit(RuleLimit.of("many", FixedWindow.of(Rate.perHour(100))))
            .consistency(Consistency.EVENTUAL)
            .build();
    var fleet = new Fleet(1, rule);
    for (int i = 0; i < 10; i++) fleet.first().check("hot");
    report(fleet);
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).outcomes();
    assertThat(left).extracting(Outcome::remaining).containsExactly(0L, 97L);
  }

  @Test
  void whatIsSpentBetweenTwoReportsIsTheMostThatIsTooMuchAndItIsRepaid() {
    var fleet = new Fleet(3, rule(TokenBucket.of(Rate.perMinute(600)))); // ten a second
    int passed = 0;
    for (var instance : fleet.instances) passed += checkUntilDenied(instance);
    assertThat(passed).isEqualTo(3 * 600); // each by itself, before the first report
    report(fleet);
    long seconds = 0;
    while (fleet.instances.stream().noneMatch(instance -> instance.check("hot"))) {
      fleet.ticker.advance(Duration.ofSeconds(10));
      report(fleet);
      seconds += 10;
    }
    assertThat(seconds).isBetween(100L, 140L); // repaying the excess of 1,200 takes two minutes
  }

  static List<Limit> windows() {
    var rate = Rate.perSecond(1_000);
    return List.of(FixedWindow.of(rate), SlidingWindow.of(rate).withBuckets(10));
  }

  @ParameterizedTest
  @MethodSource("windows")
  void windowIsReportedByAmountNearItsEnd(Limit window) {
    var fleet = new Fleet(5, rule(window));
    int[] passed = new int[4];
    int checks = 0;
    // Three times the limit, evenly over the instances, for 4 s.
    for (long micros = 0; micros < 4_000_000; micros += 333) {
      var instance = fleet.instances.get(checks % 5);
      if (instance.check("hot")) passed[(int) (micros / 1_000_000)]++;
      instance.store.sync().sendDue();
      if (checks % 300 == 0) fleet.instances.forEach(each -> each.store.sync().run());
      fleet.ticker.advance(Duration.ofNanos(333_000));
      checks++;
    }
    for (int each : passed) assertThat(each).isBetween(950, 1_050);
    int calls = fleet.instances.stream().mapToInt(instance -> instance.calls).sum();
    assertThat(calls).isLessThan(checks / 8);
  }

  @Test
  void exhaustionSpreadsToOtherInstancesWithTheNextReport() {
    var fleet = new Fleet(2, rule(TokenBucket.of(Rate.perHour(100))));
    assertThat(checkUntilDenied(fleet.first())).isEqualTo(100);
    fleet.instances.get(1).check("hot");
    report(fleet);
    assertThat(fleet.instances.get(1).check("hot")).isFalse();
  }

  @Test
  void windowEndsByTheStoresClock() {
    var fleet = new Fleet(2, rule(FixedWindow.of(Rate.perMinute(100))));
    checkUntilDenied(fleet.first());
    report(fleet);
    assertThat(fleet.instances.get(1).check("hot")).isFalse();
    fleet.ticker.advance(Duration.ofMinutes(1));
    assertThat(fleet.instances.get(1).check("hot")).isTrue();
  }

  @Test
  void reportWithALostReplyIsNotRepeated() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perHour(1_000))));
    for (int i = 0; i < 300; i++) fleet.first().check("hot");
    fleet.first().losingReplies = true;
    report(fleet);
    fleet.first().losingReplies = false;
    report(fleet);
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).first().remaining();
    assertThat(left).isEqualTo(700);
  }

  @Test
  void staleCopyLeavesTheDecisionToTheFailurePolicy() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perHour(1_000))));
    fleet.first().check("hot");
    report(fleet);
    fleet.first().disconnected = true;
    report(fleet);
    assertThat(fleet.first().check("hot")).isTrue();
    fleet.ticker.advance(Duration.ofSeconds(2));
    assertThatThrownBy(() -> fleet.first().check("hot")).isInstanceOf(StoreException.class);
    fleet.first().disconnected = false;
    fleet.run(Duration.ofMillis(200));
    assertThat(fleet.first().check("hot")).isTrue();
    assertThat(fleet.first().calls).isLessThan(20);
  }

  @Test
  void denialOfAStrictRuleIsNotReported() {
    var strict = Rule.named("strict").match("key", "*").limit(TokenBucket.of(Rate.perDay(30)));
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perDay(1_000))), strict.build());
    for (int i = 0; i < 100; i++) fleet.first().check("hot");
    report(fleet);
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).outcomes();
    assertThat(left.getFirst().remaining()).isEqualTo(970);
  }

  @Test
  void closeReportsPendingCounts() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perDay(1_000))));
    for (int i = 0; i < 100; i++) fleet.first().check("hot");
    fleet.first().store.close();
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).first().remaining();
    assertThat(left).isEqualTo(900);
  }

  private static long left(Fleet fleet, String key) {
    return fleet.shared.peek(fleet.plan(Subject.of(key), 0)).first().remaining();
  }

  @Test
  void changedLimitAppliesUnderLoad() {
    var fleet = new Fleet(2, rule(TokenBucket.of(Rate.perSecond(1_000))));
    load(fleet, Duration.ofSeconds(2), 3);
    fleet.rules = RuleSet.of(rule(TokenBucket.of(Rate.perSecond(100))));
    load(fleet, Duration.ofSeconds(2), 3);
    assertThat(load(fleet, Duration.ofSeconds(5), 3)).isBetween(490, 620);
    fleet.rules = RuleSet.of(rule(TokenBucket.of(Rate.perMinute(600)).withBurst(50)));
    load(fleet, Duration.ofSeconds(10), 3);
    assertThat(load(fleet, Duration.ofSeconds(5), 3)).isBetween(49, 62);
  }

  /** Sends {@code perTick} requests per millisecond, round robin; returns how many passed. */
  private static int load(Fleet fleet, Duration time, int perTick) {
    int passed = 0;
    int turn = 0;
    for (long t = 0; t < time.toMillis(); t++) {
      for (int i = 0; i < perTick; i++) {
        if (fleet.instances.get(turn++ % fleet.instances.size()).check("hot")) passed++;
      }
      fleet.ticker.advance(Duration.ofMillis(1));
      if (t % 100 == 0) fleet.instances.forEach(instance -> instance.store.sync().run());
    }
    return passed;
  }

  @Test
  void changedLimitConvertsPendingCountsInProportion() {
    var fleet = new Fleet(1, rule(FixedWindow.of(Rate.perDay(10_000))));
    for (int i = 0; i < 500; i++) fleet.first().check("hot");
    fleet.rules = RuleSet.of(rule(FixedWindow.of(Rate.perDay(100))));
    fleet.first().check("hot");
    report(fleet);
    assertThat(left(fleet, "hot")).isEqualTo(100 - 5 - 1);
  }

  @Test
  void reportOfAReplacedLimitLeavesTheNewState() {
    var fleet = new Fleet(2, rule(TokenBucket.of(Rate.perSecond(1_000))));
    for (int i = 0; i < 100; i++) fleet.instances.get(1).check("hot");
    fleet.rules = RuleSet.of(rule(Concurrency.of(3).withLease(Duration.ofMinutes(5))));
    for (int i = 0; i < 3; i++) assertThat(fleet.first().check("hot")).isTrue();
    fleet.instances.get(1).store.sync().run();
    assertThat(fleet.first().check("hot")).as("three are in flight").isFalse();
  }

  @Test
  void ruleMadeEventualConvertsTheExistingState() {
    var window = RollingWindow.of(Rate.perDay(100));
    var fleet = new Fleet(1, Rule.named("r").match("key", "*").limit(window).build());
    for (int i = 0; i < 60; i++) assertThat(fleet.first().check("hot")).isTrue();
    fleet.rules = RuleSet.of(rule(TokenBucket.of(Rate.perDay(1_000))));
    report(fleet);
    report(fleet);
    assertThat(checkUntilDenied(fleet.first())).isBetween(398, 400);
    report(fleet);
    assertThat(left(fleet, "hot")).isLessThanOrEqualTo(1);
  }

  @Test
  void unavailableShardAffectsOnlyItsOwnCounters() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perHour(1_000))));
    var instance = fleet.first();
    instance.unavailableKeys = Set.of("hot");
    for (int i = 0; i < 15; i++) {
      instance.check("hot");
      instance.check("other");
      fleet.ticker.advance(SYNC_INTERVAL);
      instance.store.sync().run();
    }
    int before = instance.calls;
    assertThat(instance.check("other")).isTrue();
    assertThat(instance.calls).isEqualTo(before);
    instance.check("hot"); // decided by the store, which fails
    assertThat(instance.calls).isEqualTo(before + 1);
    instance.check("hotter"); // a new counter of the same shard
    assertThat(instance.calls).isEqualTo(before + 2);
  }

  @Test
  void localCopyIsKeptUntilItsStateIsFresh() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perHour(1_000))));
    int passed = 0;
    for (int burst = 0; burst < 4; burst++) {
      for (int i = 0; i < 1_000; i++) if (fleet.first().check("hot")) passed++;
      fleet.run(Duration.ofSeconds(62));
    }
    assertThat(passed).isBetween(1_000, 1_000 + 4 * 18);
    fleet.run(Duration.ofMinutes(90));
    assertThat(fleet.first().store.localCounters()).as("fresh copies are dropped").isZero();
  }

  @Test
  void evictedCopyReturnsWithTheStoresState() {
    var options = ConsistencyOptions.DEFAULT.withMaxKeys(8);
    var fleet = new Fleet(1, options, rule(TokenBucket.of(Rate.perDay(100))));
    for (int i = 0; i < 100; i++) assertThat(fleet.first().check("hot")).isTrue();
    report(fleet);
    fleet.run(Duration.ofSeconds(1));
    for (int i = 0; i < 20; i++) {
      assertThat(fleet.first().check("user" + i)).isTrue();
      fleet.run(Duration.ofSeconds(1));
    }
    assertThat(fleet.first().check("hot")).isFalse();
    assertThat(fleet.first().store.localCounters()).isLessThanOrEqualTo(8);
    assertThat(fleet.first().decide(fleet.plan(Subject.of("user19"), 1)).source())
        .isEqualTo(Source.CACHE);
  }

  @Test
  void unsentReportIsRepeated() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perDay(1_000))));
    for (int i = 0; i < 300; i++) fleet.first().check("hot");
    fleet.first().overloaded = true;
    report(fleet);
    fleet.first().overloaded = false;
    report(fleet);
    assertThat(left(fleet, "hot")).isEqualTo(700);
  }

  @Test
  void reportsInFlightAreBoundedAndNoneIsLost() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perDay(1_000))));
    var instance = fleet.first();
    instance.delayedReplies = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) instance.check("user" + i);
    instance.store.sync().run();
    int rounds = 0;
    for (; !instance.delayedReplies.isEmpty(); rounds++) {
      assertThat(instance.delayedReplies).hasSizeLessThanOrEqualTo(16);
      instance.deliverReplies();
    }
    assertThat(rounds).isGreaterThan(5_000 / 17);
    for (int i = 0; i < 5_000; i++) assertThat(left(fleet, "user" + i)).isEqualTo(999);
  }

  @Test
  void countsDuringAReportAreInTheNextReport() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perDay(1_000))));
    var instance = fleet.first();
    instance.delayedReplies = new ArrayList<>();
    for (int i = 0; i < 10; i++) instance.check("hot");
    instance.store.sync().run();
    for (int i = 0; i < 5; i++) instance.check("hot");
    instance.store.sync().run(); // one report at a time
    assertThat(left(fleet, "hot")).isEqualTo(990);
    instance.deliverReplies();
    assertThat(instance.decide(fleet.plan(Subject.of("hot"), 0)).first().remaining())
        .isEqualTo(985);
    instance.store.sync().run();
    assertThat(left(fleet, "hot")).isEqualTo(985);
    instance.deliverReplies();
    assertThat(instance.decide(fleet.plan(Subject.of("hot"), 0)).first().remaining())
        .isEqualTo(985);
  }

  @Test
  void closeReportsCountsMadeDuringAReport() {
    var fleet = new Fleet(1, rule(TokenBucket.of(Rate.perDay(1_000))));
    var instance = fleet.first();
    instance.delayedReplies = new ArrayList<>();
    for (int i = 0; i < 10; i++) instance.check("hot");
    instance.store.sync().run();
    for (int i = 0; i < 5; i++) instance.check("hot");
    instance.store.close();
    assertThat(left(fleet, "hot")).isEqualTo(990);
    instance.deliverReplies();
    assertThat(left(fleet, "hot")).isEqualTo(985);
  }
}
