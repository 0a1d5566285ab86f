package io.headgate.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EventualTest {
  private static final Duration REPORT = ConsistencyOptions.DEFAULT.syncInterval();

  private static Rule rule(Limit limit) {
    return Rule.named("r").match("key", "*").limit(limit).consistency(Consistency.EVENTUAL).build();
  }

  private static void report(Fleet fleet) {
    fleet.ticker.advance(REPORT);
    fleet.members.forEach(member -> member.near.errands().run()); // says its own
    fleet.members.forEach(member -> member.asks("hot", 0));
    fleet.members.forEach(member -> member.near.errands().run()); // and hears of the others'
  }

  private static int asksUntilDenied(Fleet.Member member) {
    int passed = 0;
    while (member.asks("hot")) passed++;
    return passed;
  }

  @Test
  void nothingIsAskedOfTheStoreButForTheReports() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perSecond(1_000))));
    for (int i = 0; i < 500; i++) {
      var answer = fleet.first().answer(fleet.plan(Subject.of("hot"), 1));
      assertThat(answer.source()).isEqualTo(Source.CACHE);
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
    for (int i = 0; i < 10; i++) fleet.first().asks("hot");
    report(fleet);
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).outcomes();
    assertThat(left).extracting(Outcome::remaining).containsExactly(0L, 97L);
  }

  @Test
  void whatIsSpentBetweenTwoReportsIsTheMostThatIsTooMuchAndItIsRepaid() {
    var fleet = new Fleet(3, rule(new TokenBucket(Rate.perMinute(600)))); // ten a second
    int passed = 0;
    for (var member : fleet.members) passed += asksUntilDenied(member);
    assertThat(passed).isEqualTo(3 * 600); // each by itself, before anybody has reported
    report(fleet);
    long minutes = 0;
    while (fleet.members.stream().noneMatch(member -> member.asks("hot"))) {
      fleet.ticker.advance(Duration.ofSeconds(10));
      report(fleet);
      minutes += 10;
    }
    assertThat(minutes).isBetween(100L, 140L); // what was too much, 1,200, takes two minutes
  }

  @Test
  void oneWhoHasUsedItUpHereIsDeniedThereAfterTheNextReport() {
    var fleet = new Fleet(2, rule(new TokenBucket(Rate.perHour(100))));
    assertThat(asksUntilDenied(fleet.first())).isEqualTo(100);
    fleet.members.get(1).asks("hot");
    report(fleet);
    assertThat(fleet.members.get(1).asks("hot")).isFalse();
  }

  @Test
  void aWindowEndsForEverybodyByTheStoresClock() {
    var fleet = new Fleet(2, rule(FixedWindow.of(Rate.perMinute(100))));
    asksUntilDenied(fleet.first());
    report(fleet);
    assertThat(fleet.members.get(1).asks("hot")).isFalse();
    fleet.ticker.advance(Duration.ofMinutes(1));
    assertThat(fleet.members.get(1).asks("hot")).isTrue();
  }

  @Test
  void aReportThatMayHaveBeenHeardIsNotRepeated() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perHour(1_000))));
    for (int i = 0; i < 300; i++) fleet.first().asks("hot");
    fleet.first().unanswered = true;
    report(fleet);
    fleet.first().unanswered = false;
    report(fleet);
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).first().remaining();
    assertThat(left).isEqualTo(700);
  }

  @Test
  void afterASecondOfSilenceTheStoreIsAskedSoThatTheRulesPolicyCanSpeak() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perHour(1_000))));
    fleet.first().asks("hot");
    report(fleet);
    fleet.first().cutOff = true;
    report(fleet);
    assertThat(fleet.first().asks("hot")).isTrue();
    fleet.ticker.advance(Duration.ofSeconds(2));
    assertThatThrownBy(() -> fleet.first().asks("hot")).isInstanceOf(StoreException.class);
    fleet.first().cutOff = false;
    fleet.pass(Duration.ofMillis(200));
    assertThat(fleet.first().asks("hot")).isTrue();
    assertThat(fleet.first().calls).isLessThan(20);
  }

  @Test
  void whatAStrictRuleDeniesIsNotReported() {
    var strict = Rule.named("strict").match("key", "*").limit(new TokenBucket(Rate.perDay(30)));
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perDay(1_000))), strict.build());
    for (int i = 0; i < 100; i++) fleet.first().asks("hot");
    report(fleet);
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).outcomes();
    assertThat(left.getFirst().remaining()).isEqualTo(970);
  }

  @Test
  void closingReportsWhatWasCounted() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perDay(1_000))));
    for (int i = 0; i < 100; i++) fleet.first().asks("hot");
    fleet.first().near.close();
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).first().remaining();
    assertThat(left).isEqualTo(900);
  }

  private static long left(Fleet fleet, String key) {
    return fleet.shared.peek(fleet.plan(Subject.of(key), 0)).first().remaining();
  }

  @Test
  void aChangedLimitAppliesToCallersThatKeepComing() {
    var fleet = new Fleet(2, rule(new TokenBucket(Rate.perSecond(1_000))));
    load(fleet, Duration.ofSeconds(2), 3);
    fleet.rules = RuleSet.of(rule(new TokenBucket(Rate.perSecond(100))));
    load(fleet, Duration.ofSeconds(2), 3);
    assertThat(load(fleet, Duration.ofSeconds(5), 3)).isBetween(490, 620);
    fleet.rules = RuleSet.of(rule(new TokenBucket(Rate.perMinute(600), 50)));
    load(fleet, Duration.ofSeconds(10), 3);
    assertThat(load(fleet, Duration.ofSeconds(5), 3)).isBetween(49, 62);
  }

  /** Asks so often in each millisecond, by turns; gives how many passed. */
  private static int load(Fleet fleet, Duration time, int perTick) {
    int passed = 0;
    int turn = 0;
    for (long t = 0; t < time.toMillis(); t++) {
      for (int i = 0; i < perTick; i++) {
        if (fleet.members.get(turn++ % fleet.members.size()).asks("hot")) passed++;
      }
      fleet.ticker.advance(Duration.ofMillis(1));
      if (t % 100 == 0) fleet.members.forEach(member -> member.near.errands().run());
    }
    return passed;
  }

  @Test
  void aChangedLimitTakesOverWhatWasCountedButNotReportedInProportion() {
    var fleet = new Fleet(1, rule(FixedWindow.of(Rate.perDay(10_000))));
    for (int i = 0; i < 500; i++) fleet.first().asks("hot");
    fleet.rules = RuleSet.of(rule(FixedWindow.of(Rate.perDay(100))));
    fleet.first().asks("hot");
    report(fleet);
    assertThat(left(fleet, "hot")).isEqualTo(100 - 5 - 1);
  }

  @Test
  void aReportOfALimitThatIsNoMoreLeavesTheStateThatAnotherLimitWrote() {
    var fleet = new Fleet(2, rule(new TokenBucket(Rate.perSecond(1_000))));
    for (int i = 0; i < 100; i++) fleet.members.get(1).asks("hot");
    fleet.rules = RuleSet.of(rule(new Concurrency(3, Duration.ofMinutes(5))));
    for (int i = 0; i < 3; i++) assertThat(fleet.first().asks("hot")).isTrue();
    fleet.members.get(1).near.errands().run();
    assertThat(fleet.first().asks("hot")).as("three are in flight").isFalse();
  }

  @Test
  void aRuleThatBecomesEventualTakesOverWhatAnotherLimitCounted() {
    var window = RollingWindow.of(Rate.perDay(100));
    var fleet = new Fleet(1, Rule.named("r").match("key", "*").limit(window).build());
    for (int i = 0; i < 60; i++) assertThat(fleet.first().asks("hot")).isTrue();
    fleet.rules = RuleSet.of(rule(new TokenBucket(Rate.perDay(1_000))));
    report(fleet);
    report(fleet);
    assertThat(asksUntilDenied(fleet.first())).isBetween(398, 400);
    report(fleet);
    assertThat(left(fleet, "hot")).isLessThanOrEqualTo(1);
  }

  @Test
  void whileAShardIsAwayItsCountersAreDecidedByTheStoreAndOthersHere() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perHour(1_000))));
    var member = fleet.first();
    member.deadKeys = Set.of("hot");
    for (int i = 0; i < 15; i++) {
      member.asks("hot");
      member.asks("other");
      fleet.ticker.advance(REPORT);
      member.near.errands().run();
    }
    int before = member.calls;
    assertThat(member.asks("other")).isTrue();
    assertThat(member.calls).isEqualTo(before);
    member.asks("hot"); // the store decides, and its failure is seen
    assertThat(member.calls).isEqualTo(before + 1);
    member.asks("hotter"); // of the same shard, and new here
    assertThat(member.calls).isEqualTo(before + 2);
  }

  @Test
  void aLocalCopyLivesAsLongAsItsStateSaysSomething() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perHour(1_000))));
    int passed = 0;
    for (int burst = 0; burst < 4; burst++) {
      for (int i = 0; i < 1_000; i++) if (fleet.first().asks("hot")) passed++;
      fleet.pass(Duration.ofSeconds(62));
    }
    assertThat(passed).isBetween(1_000, 1_000 + 4 * 18);
    fleet.pass(Duration.ofMinutes(90));
    assertThat(fleet.first().near.trackedHere()).as("fresh, so it is dropped").isZero();
  }

  @Test
  void whenTheTableIsFullIdleCopiesMakeRoomAndComeBackWithTheStoresState() {
    var options = new ConsistencyOptions(REPORT, 10, 8);
    var fleet = new Fleet(1, options, rule(new TokenBucket(Rate.perDay(100))));
    for (int i = 0; i < 100; i++) assertThat(fleet.first().asks("hot")).isTrue();
    report(fleet);
    fleet.pass(Duration.ofSeconds(1));
    for (int i = 0; i < 20; i++) {
      assertThat(fleet.first().asks("user" + i)).isTrue();
      fleet.pass(Duration.ofSeconds(1));
    }
    assertThat(fleet.first().asks("hot")).isFalse();
    assertThat(fleet.first().near.trackedHere()).isLessThanOrEqualTo(8);
    assertThat(fleet.first().answer(fleet.plan(Subject.of("user19"), 1)).source())
        .isEqualTo(Source.CACHE);
  }

  @Test
  void aReportThatWasNotSentIsNotLost() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perDay(1_000))));
    for (int i = 0; i < 300; i++) fleet.first().asks("hot");
    fleet.first().overloaded = true;
    report(fleet);
    fleet.first().overloaded = false;
    report(fleet);
    assertThat(left(fleet, "hot")).isEqualTo(700);
  }

  @Test
  void manyReportsLeaveAFewAtATimeAndNoneIsLost() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perDay(1_000))));
    var member = fleet.first();
    member.late = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) member.asks("user" + i);
    member.near.errands().run();
    int rounds = 0;
    for (; !member.late.isEmpty(); rounds++) {
      assertThat(member.late).hasSizeLessThanOrEqualTo(16);
      member.answersArrive();
    }
    assertThat(rounds).isGreaterThan(5_000 / 17);
    for (int i = 0; i < 5_000; i++) assertThat(left(fleet, "user" + i)).isEqualTo(999);
  }

  @Test
  void whatIsCountedWhileAReportIsUnderWayIsInTheNext() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perDay(1_000))));
    var member = fleet.first();
    member.late = new ArrayList<>();
    for (int i = 0; i < 10; i++) member.asks("hot");
    member.near.errands().run();
    for (int i = 0; i < 5; i++) member.asks("hot");
    member.near.errands().run(); // one report at a time
    assertThat(left(fleet, "hot")).isEqualTo(990);
    member.answersArrive();
    assertThat(member.answer(fleet.plan(Subject.of("hot"), 0)).first().remaining()).isEqualTo(985);
    member.near.errands().run();
    assertThat(left(fleet, "hot")).isEqualTo(985);
    member.answersArrive();
    assertThat(member.answer(fleet.plan(Subject.of("hot"), 0)).first().remaining()).isEqualTo(985);
  }

  @Test
  void closingReportsWhatWasCountedWhileAReportWasUnderWay() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perDay(1_000))));
    var member = fleet.first();
    member.late = new ArrayList<>();
    for (int i = 0; i < 10; i++) member.asks("hot");
    member.near.errands().run();
    for (int i = 0; i < 5; i++) member.asks("hot");
    member.near.close();
    assertThat(left(fleet, "hot")).isEqualTo(990);
    member.answersArrive();
    assertThat(left(fleet, "hot")).isEqualTo(985);
  }
}
