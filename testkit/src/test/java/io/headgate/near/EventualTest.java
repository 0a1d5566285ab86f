package io.headgate.near;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.store.Evidence;
import io.headgate.store.StoreException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EventualTest {
  private static final Duration REPORT = NearOptions.DEFAULT.reportEvery();

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
      assertThat(answer.evidence()).isEqualTo(Evidence.LOCAL);
    }
    report(fleet);
    assertThat(fleet.first().calls).isLessThanOrEqualTo(3);
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
}
