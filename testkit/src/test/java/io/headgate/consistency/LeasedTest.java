package io.headgate.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

  private static Limit thousandASecond(String algorithm) {
    var rate = Rate.perSecond(1_000);
    return switch (algorithm) {
      case "token-bucket" -> new TokenBucket(rate);
      case "fixed-window" -> FixedWindow.of(rate);
      case "sliding-window" -> SlidingWindow.of(rate);
      default -> throw new IllegalArgumentException(algorithm);
    };
  }

  /** Asks {@code perTick} times in each millisecond, by turns; gives how many passed. */
  private static int load(Fleet fleet, Duration time, int perTick) {
    int passed = 0;
    int turn = 0;
    for (long t = 0; t < time.toMillis(); t++) {
      for (int i = 0; i < perTick; i++) {
        var member = fleet.members.get(turn++ % fleet.members.size());
        if (member.asks("hot")) passed++;
      }
      fleet.ticker.advance(TICK);
      if (t % 50 == 0) fleet.members.forEach(member -> member.near.errands().run());
    }
    return passed;
  }

  private static int calls(Fleet fleet) {
    return fleet.members.stream().mapToInt(member -> member.calls).sum();
  }

  @Test
  void whoComesSeldomIsDecidedByTheStoreEachTime() {
    var fleet = new Fleet(2, rule(new TokenBucket(Rate.perMinute(100))));
    for (int i = 0; i < 5; i++) {
      assertThat(fleet.first().asks("user:" + i)).isTrue();
      fleet.pass(Duration.ofSeconds(2));
    }
    assertThat(fleet.first().calls).isEqualTo(5);
  }

  @Test
  void overrideOnAnotherAttributeHasPermitsOfItsOwn() {
    var rule =
        Rule.named("r")
            .match("user", "*")
            .limit(new TokenBucket(Rate.of(10_000, Duration.ofHours(10))))
            .override("method", "POST", new TokenBucket(Rate.of(5_000, Duration.ofHours(10))))
            .consistency(Consistency.LEASED)
            .build();
    var fleet = new Fleet(1, rule);
    for (int i = 0; i < 2_000; i++) {
      var ann = Subject.of("user", "ann").with("method", i % 2 == 0 ? "GET" : "POST");
      assertThat(fleet.first().asks(ann, 1)).as("request %d", i).isTrue();
      fleet.ticker.advance(TICK);
      if (i % 50 == 0) fleet.first().near.errands().run();
    }
  }

  @ParameterizedTest
  @CsvSource({"token-bucket, 3900, 20", "fixed-window, 3900, 10", "sliding-window, 3800, 3"})
  void whoComesOftenIsDecidedHereAndTheStoreIsAskedOnceForMany(
      String algorithm, int leastPassed, int askedOnceFor) {
    var fleet = new Fleet(5, rule(thousandASecond(algorithm)));
    int passed = load(fleet, Duration.ofSeconds(4), 1); // just at the limit
    assertThat(passed).isGreaterThan(leastPassed);
    assertThat(calls(fleet)).isLessThan(4_000 / askedOnceFor);
  }

  @ParameterizedTest
  @ValueSource(strings = {"token-bucket", "fixed-window", "sliding-window"})
  void beyondTheLimitNearlyAllOfItIsAdmittedAndNothingMore(String algorithm) {
    var fleet = new Fleet(5, rule(thousandASecond(algorithm)));
    load(fleet, Duration.ofSeconds(2), 5); // used up, however much it had in hand
    int passed = load(fleet, Duration.ofSeconds(10), 5);
    assertThat(passed).isBetween(9_800, 10_000);
    assertThat(calls(fleet)).isLessThan(60_000 / 20);
  }

  @Test
  void steadyTrafficNeverWaitsForTheStore() {
    var fleet = new Fleet(1, rule(thousandASecond("token-bucket")));
    load(fleet, Duration.ofSeconds(1), 1);
    for (int i = 0; i < 1_000; i++) {
      var answer = fleet.first().answer(fleet.plan(Subject.of("hot"), 1));
      assertThat(answer.source()).isEqualTo(Source.LEASE);
      fleet.ticker.advance(TICK);
    }
  }

  @Test
  void whatIsNotUsedGoesBackSoThatOthersHaveAllOfIt() {
    var fleet = new Fleet(2, rule(new TokenBucket(Rate.perHour(1_000))));
    load(fleet, Duration.ofMillis(200), 1);
    int passed = 200;
    fleet.pass(Duration.ofSeconds(8)); // a quarter of the lease of 30 s
    var second = fleet.members.get(1);
    while (second.asks("hot")) passed++;
    assertThat(passed).isBetween(1_000, 1_002);
  }

  @Test
  void whatWasSpentLateInAWindowIsNotCountedInTheNext() {
    var window = Duration.ofSeconds(10);
    var fleet = new Fleet(1, rule(FixedWindow.of(Rate.of(100, window))));
    long into = fleet.ticker.micros() % 10_000_000;
    fleet.ticker.advance(Duration.ofNanos((18_000_000 - into) * 1_000)); // at 8 s of the next one
    int passed = 0;
    for (; fleet.first().asks("hot"); passed++) fleet.ticker.advance(TICK);
    assertThat(passed).isEqualTo(100);
    fleet.pass(Duration.ofSeconds(3));
    for (passed = 0; fleet.first().asks("hot"); passed++) fleet.ticker.advance(TICK);
    assertThat(passed).isEqualTo(100);
  }

  @Test
  void whereLeasesAreLongWhoComesAgainWithinSecondsIsNoFurtherQuestion() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perMinute(1_000))));
    for (int i = 0; i < 5; i++) {
      assertThat(fleet.first().asks("hot")).isTrue();
      fleet.ticker.advance(Duration.ofSeconds(1));
    }
    assertThat(fleet.first().calls).isEqualTo(1);
  }

  @Test
  void whatACrashedInstanceHeldComesBackWhenItsLeaseIsOver() {
    var fleet = new Fleet(2, rule(FixedWindow.of(Rate.of(1_000, Duration.ofSeconds(10)))));
    load(fleet, Duration.ofMillis(400), 1);
    fleet.first().cutOff = true; // and never heard of again
    var second = fleet.members.get(1);
    int passed = 400;
    while (second.asks("hot")) passed++;
    assertThat(passed).isLessThan(1_000);
    fleet.ticker.advance(Duration.ofSeconds(10));
    passed = 0;
    while (second.asks("hot")) passed++;
    assertThat(passed).isGreaterThanOrEqualTo(950);
  }

  @Test
  void closingGivesBackAllThatIsHeldAndReportsAllThatWasSpent() {
    var fleet = new Fleet(2, rule(new TokenBucket(Rate.perHour(1_000))));
    int passed = load(fleet, Duration.ofMillis(300), 1);
    fleet.members.forEach(member -> member.near.close());
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).first().remaining();
    assertThat(left).isEqualTo(1_000 - passed);
  }

  @Test
  void anAnswerThatIsLostCostsASliceAndLetsNobodyPassTwice() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perDay(1_000))));
    int passed = load(fleet, Duration.ofMillis(100), 1);
    fleet.first().unanswered = true;
    for (int i = 0; i < 300; i++) {
      try {
        if (fleet.first().asks("hot")) passed++;
      } catch (StoreException e) {
        // Decided by the rule's policy, above.
      }
      fleet.ticker.advance(TICK);
    }
    fleet.first().unanswered = false;
    fleet.pass(Duration.ofMinutes(1));
    while (fleet.first().asks("hot")) passed++;
    assertThat(passed).isLessThanOrEqualTo(1_000);
  }

  @Test
  void whileTheStoreIsAwayASliceIsSpentAndThenTheFailureShows() {
    var fleet = new Fleet(1, rule(thousandASecond("token-bucket")));
    load(fleet, Duration.ofSeconds(1), 1);
    fleet.first().cutOff = true;
    assertThat(fleet.first().asks("hot")).isTrue();
    fleet.ticker.advance(Duration.ofSeconds(1));
    assertThatThrownBy(() -> fleet.first().asks("hot")).isInstanceOf(StoreException.class);
  }

  @Test
  void aResetIsSeenAtOnce() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perDay(10))));
    while (fleet.first().asks("hot")) {}
    var counter = fleet.plan(Subject.of("hot"), 1).charges().getFirst();
    fleet.first().near.reset(counter.counter(), counter.key());
    assertThat(fleet.first().asks("hot")).isTrue();
  }

  @Test
  void aChangedLimitAppliesFromTheNextCheckAndGivesNothingBack() {
    var fleet = new Fleet(2, rule(new TokenBucket(Rate.perDay(1_000))));
    int before = load(fleet, Duration.ofMillis(500), 1);
    assertThat(before).isEqualTo(500);
    fleet.rules = RuleSet.of(rule(new TokenBucket(Rate.perDay(100))));
    int after = 0;
    for (int i = 0; i < 1_000; i++) {
      if (fleet.members.get(i % 2).asks("hot")) after++;
    }
    assertThat(after).isLessThanOrEqualTo(50);
  }

  @Test
  void aRuleThatIsMadeStrictIsExactWhileOthersStillHoldSome() {
    var fleet = new Fleet(2, rule(new TokenBucket(Rate.perDay(1_000))));
    int passed = load(fleet, Duration.ofMillis(400), 1);
    var strict = Rule.named("r").match("key", "*").limit(new TokenBucket(Rate.perDay(1_000)));
    fleet.rules = RuleSet.of(strict.build());
    while (fleet.first().asks("hot")) passed++;
    fleet.rules = RuleSet.of(rule(new TokenBucket(Rate.perDay(1_000))));
    while (fleet.members.get(1).asks("hot")) passed++;
    assertThat(passed).isLessThanOrEqualTo(1_000);
  }

  @Test
  void aPlanOfSeveralIsSpentWhollyOrNotAtAll() {
    var wide = Rule.named("all").per().limit(new TokenBucket(Rate.perDay(10_000)));
    var narrow = Rule.named("one").match("key", "*").limit(new TokenBucket(Rate.perDay(500)));
    var fleet =
        new Fleet(
            2,
            wide.consistency(Consistency.LEASED).build(),
            narrow.consistency(Consistency.LEASED).build());
    int passed = load(fleet, Duration.ofSeconds(1), 1);
    assertThat(passed).isBetween(400, 500);
    fleet.members.forEach(member -> member.near.close());
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).outcomes();
    assertThat(left.getFirst().remaining()).isEqualTo(10_000 - passed);
    assertThat(left.getLast().remaining()).isEqualTo(500 - passed);
  }

  @Test
  void whatAStrictRuleDeniesIsNotSpentFromASlice() {
    var strict = Rule.named("strict").match("key", "*").limit(new TokenBucket(Rate.perDay(300)));
    var fleet = new Fleet(2, rule(new TokenBucket(Rate.perDay(10_000))), strict.build());
    int passed = load(fleet, Duration.ofSeconds(1), 1);
    assertThat(passed).isEqualTo(300);
    fleet.members.forEach(member -> member.near.close());
    var left = fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).outcomes();
    assertThat(left.getFirst().remaining()).isEqualTo(10_000 - 300);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void whatCantBeDividedIsDecidedStrictly(int which) {
    Limit limit =
        switch (which) {
          case 0 -> LeakyBucket.queueing(Rate.perSecond(1_000), 10);
          case 1 -> RollingWindow.of(Rate.perSecond(1_000));
          default -> Concurrency.of(1_000);
        };
    var fleet = new Fleet(1, rule(limit));
    load(fleet, Duration.ofMillis(100), 1);
    assertThat(fleet.first().calls).isEqualTo(100);
  }

  @Test
  void manyKeysAreKeptUpToABoundAndTheOthersAreDecidedStrictly() {
    var options = new ConsistencyOptions(Duration.ofMillis(100), 10, 3);
    var fleet = new Fleet(1, options, rule(new TokenBucket(Rate.perMinute(100))));
    for (int i = 0; i < 10; i++) {
      for (int j = 0; j < 100; j++) assertThat(fleet.first().asks("user:" + i)).isTrue();
    }
    assertThat(fleet.first().asks("user:9")).isFalse();
  }

  @Test
  void aHotCounterOfAnAutomaticRuleIsLeasedAndLaterStrictAgain() {
    var auto = Rule.named("r").match("key", "*").limit(new TokenBucket(Rate.perSecond(10_000)));
    var fleet = new Fleet(1, auto.consistency(Consistency.AUTO).build());
    load(fleet, Duration.ofSeconds(2), 1);
    int before = calls(fleet);
    load(fleet, Duration.ofSeconds(1), 1);
    assertThat(calls(fleet) - before).isLessThan(100);
    assertThat(fleet.first().near.hotKeys(10))
        .singleElement()
        .satisfies(hot -> {
          assertThat(hot.key()).isEqualTo("hot");
          assertThat(hot.leased()).isTrue();
          assertThat(hot.perSecond()).isBetween(500.0, 2_000.0);
        });
    fleet.pass(Duration.ofSeconds(30));
    assertThat(fleet.first().near.hotKeys(10)).isEmpty();
    before = calls(fleet);
    assertThat(fleet.first().asks("hot")).isTrue();
    assertThat(calls(fleet) - before).isEqualTo(1);
  }

  private static long left(Fleet fleet) {
    return fleet.shared.peek(fleet.plan(Subject.of("hot"), 0)).first().remaining();
  }

  /** With 5% used and up to half held, a hundredth of the limit is not used up. */
  @Test
  void aLoweredLimitTakesOverHoldsInProportion() {
    var fleet = new Fleet(5, rule(new TokenBucket(Rate.perMinute(10_000))));
    int passed = load(fleet, Duration.ofMillis(500), 1);
    assertThat(passed).isEqualTo(500);
    fleet.rules = RuleSet.of(rule(new TokenBucket(Rate.perMinute(100))));
    for (var member : fleet.members) assertThat(member.asks("hot")).isTrue();
    fleet.members.forEach(member -> member.near.close()); // gives back what is not used
    assertThat(left(fleet)).isBetween(85L, 91L);
  }

  @Test
  void aLimitThatCantBeDividedTakesOverHoldsAsCharges() {
    var fleet = new Fleet(5, rule(new TokenBucket(Rate.of(1_000, Duration.ofHours(10)))));
    int passed = load(fleet, Duration.ofMillis(750), 1);
    assertThat(passed).isEqualTo(750);
    fleet.rules = RuleSet.of(rule(RollingWindow.of(Rate.of(1_000, Duration.ofHours(10)))));
    for (int i = 0; i < 5_000; i++) if (fleet.members.get(i % 5).asks("hot")) passed++;
    assertThat(passed).isLessThanOrEqualTo(1_000);
  }

  @Test
  void givingUpAHoldOfALimitThatIsNoMoreLeavesTheStateThatAnotherLimitWrote() {
    var fleet = new Fleet(1, rule(thousandASecond("token-bucket")));
    load(fleet, Duration.ofMillis(600), 1);
    fleet.rules = RuleSet.of(rule(new Concurrency(3, Duration.ofMinutes(5))));
    int inFlight = 0;
    for (int i = 0; i < 5; i++) if (fleet.first().asks("hot")) inFlight++;
    fleet.pass(Duration.ofSeconds(3));
    for (int i = 0; i < 5; i++) if (fleet.first().asks("hot")) inFlight++;
    assertThat(inFlight).isEqualTo(3);
  }

  @Test
  void withoutRoomForAnotherHolderTheStoreDecidesEachRequest() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perMinute(100_000))));
    var charge = fleet.plan(Subject.of("hot"), 0).charges().getFirst();
    for (int holder = 0; holder < HeldState.MOST_HOLDERS; holder++) {
      fleet.shared.as(1_000 + holder).take(charge, Usage.NONE, 10, 60_000_000);
    }
    assertThat(load(fleet, Duration.ofSeconds(3), 1)).isEqualTo(3_000);
  }

  /** The server that fails over has never heard of the hold; half of it was spent before. */
  @Test
  void whatWasSpentOfAHoldThatTheStoreHasLostIsChargedWithTheNextReport() {
    var fleet = new Fleet(1, rule(new TokenBucket(Rate.perDay(1_000))));
    int passed = load(fleet, Duration.ofMillis(200), 1);
    var charge = fleet.plan(Subject.of("hot"), 1).charges().getFirst();
    long known = 1_000 - left(fleet);
    fleet.shared.reset(charge.counter(), charge.key()); // as if all of it was in the lost tail
    long reported = passed;
    for (int i = 0; i < 40; i++) if (fleet.first().asks("hot")) passed++;
    fleet.first().near.close();
    long charged = 1_000 - left(fleet);
    assertThat(charged).isBetween(40L, (long) passed);
    assertThat(passed - charged).isLessThanOrEqualTo(known).isLessThanOrEqualTo(reported);
  }
}
