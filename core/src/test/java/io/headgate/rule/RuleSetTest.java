package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Every rule that matches applies; the first override that matches; a fallback if no other. */
class RuleSetTest {
  private static final Limit TEN = TokenBucket.of(Rate.perMinute(10));
  private static final Limit TWENTY = TokenBucket.of(Rate.perMinute(20));
  private static final Limit THIRTY = TokenBucket.of(Rate.perMinute(30));

  @Test
  void everyRuleThatMatchesAppliesInTheOrderOfTheRules() {
    var rules =
        RuleSet.of(
            Rule.named("users").match("key", "user:*").limit(TEN).build(),
            Rule.named("robots").match("key", "robot:*").limit(TEN).build(),
            Rule.named("everybody").limit(TEN).build());
    assertThat(applying(rules, Subject.of("user:42"))).containsExactly("users", "everybody");
    assertThat(applying(rules, Subject.of("robot:1"))).containsExactly("robots", "everybody");
    assertThat(applying(rules, Subject.of("42"))).containsExactly("everybody");
  }

  @Test
  void planIsEmptyIfNoRuleMatches() {
    var rules = RuleSet.of(Rule.named("users").match("key", "user:*").limit(TEN).build());
    assertThat(plan(rules, Subject.of("robot:1")).charges()).isEmpty();
    assertThat(plan(RuleSet.of(), Subject.of("robot:1")).charges()).isEmpty();
  }

  @Test
  void firstMatchingOverrideReplacesTheLimit() {
    var rules =
        RuleSet.of(
            Rule.named("users")
                .match("key", "user:*")
                .limit(TEN)
                .override("key", "user:4*", TWENTY)
                .override("key", "user:42", THIRTY)
                .build());
    assertThat(limits(rules, Subject.of("user:1"))).containsExactly(TEN);
    assertThat(limits(rules, Subject.of("user:42"))).containsExactly(TWENTY);
    assertThat(plan(rules, Subject.of("user:1")).parts().getFirst().override()).isEqualTo(-1);
    assertThat(plan(rules, Subject.of("user:42")).parts().getFirst().override()).isEqualTo(0);
  }

  @Test
  void overrideOfARuleThatDoesNotMatchHasNoEffect() {
    var rules =
        RuleSet.of(
            Rule.named("users")
                .match("key", "user:*")
                .limit(TEN)
                .override("ip", "*", TWENTY)
                .build());
    assertThat(limits(rules, Subject.of("ip", "10.0.0.1"))).isEmpty();
  }

  @Test
  void overriddenSubjectKeepsTheCounterOfTheRule() {
    var rules =
        RuleSet.of(
            Rule.named("users")
                .match("key", "user:*")
                .limit(TEN)
                .override("key", "user:42", TWENTY)
                .build());
    var own = plan(rules, Subject.of("user:1")).charges().getFirst();
    var overridden = plan(rules, Subject.of("user:42")).charges().getFirst();
    assertThat(overridden.counter()).isEqualTo(own.counter());
    assertThat(overridden.key()).isEqualTo("user:42");
  }

  @Test
  void fallbackAppliesOnlyIfNoOtherRuleDoes() {
    var rules =
        RuleSet.of(
            Rule.named("default").fallback().limit(TEN).build(),
            Rule.named("users").match("key", "user:*").limit(TEN).build());
    assertThat(applying(rules, Subject.of("user:42"))).containsExactly("users");
    assertThat(applying(rules, Subject.of("robot:1"))).containsExactly("default");
  }

  @Test
  void fallbacksDoNotPreventEachOther() {
    var rules =
        RuleSet.of(
            Rule.named("one").fallback().limit(TEN).build(),
            Rule.named("other").match("key", "robot:*").fallback().limit(TEN).build());
    assertThat(applying(rules, Subject.of("robot:1"))).containsExactly("one", "other");
    assertThat(applying(rules, Subject.of("user:42"))).containsExactly("one");
  }

  @Test
  void ruleThatIsNotEnforcedDoesNotPreventAFallback() {
    var asleep =
        new Schedule(
            Schedule.ALWAYS.days(),
            Optional.empty(),
            ZoneOffset.UTC,
            Optional.of(LocalDateTime.of(2500, 1, 1, 0, 0)),
            Optional.empty());
    var fallback = Rule.named("default").fallback().limit(TEN).build();
    var shadow = Rule.named("shadow").mode(Mode.SHADOW).limit(TEN).build();
    var off = Rule.named("off").mode(Mode.OFF).limit(TEN).build();
    var later = Rule.named("later").active(asleep).limit(TEN).build();
    assertThat(applying(RuleSet.of(shadow, off, later, fallback), Subject.of("x")))
        .containsExactly("shadow", "default");
  }

  @Test
  void disabledRuleDoesNotApply() {
    var rules = RuleSet.of(Rule.named("off").mode(Mode.OFF).limit(TEN).build());
    assertThat(applying(rules, Subject.of("x"))).isEmpty();
  }

  @Test
  void scheduledRuleAppliesOnlyWhenActive() {
    var from = LocalDateTime.of(2026, 1, 1, 0, 0);
    long start = from.toEpochSecond(ZoneOffset.UTC) * 1_000_000;
    var rules =
        RuleSet.of(
            Rule.named("new-year")
                .limit(TEN)
                .active(
                    new Schedule(
                        Schedule.ALWAYS.days(),
                        Optional.empty(),
                        ZoneOffset.UTC,
                        Optional.of(from),
                        Optional.of(from.plusDays(1))))
                .build());
    assertThat(rules.isScheduled()).isTrue();
    assertThat(rules.isStatic()).isFalse();
    var request = Request.of(Subject.of("x"));
    assertThat(rules.plan(request, start - 1, 0).parts()).isEmpty();
    assertThat(rules.plan(request, start, 0).parts()).hasSize(1);
    assertThat(rules.plan(request, start + 86_400_000_000L - 1, 0).parts()).hasSize(1);
    assertThat(rules.plan(request, start + 86_400_000_000L, 0).parts()).isEmpty();
  }

  @Test
  void duplicateRuleIdsAreRejected() {
    var rule = Rule.named("users").limit(TEN).build();
    assertThatThrownBy(() -> RuleSet.of(rule, rule))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("two rules have the id 'users'; ids must be unique");
  }

  @Test
  void countersAreFoundByNameIncludingOverrides() {
    var rules =
        RuleSet.of(
            Rule.named("uploads")
                .per("key")
                .limit(TEN)
                .override("key", "user:42", Concurrency.of(3))
                .build());
    assertThat(rules.counter("uploads", -1, "uploads").map(Counter::limit)).contains(TEN);
    assertThat(rules.counter("uploads", 0, "uploads").map(Counter::limit))
        .contains(Concurrency.of(3));
    assertThat(rules.counter("uploads", 0, "downloads")).isEmpty();
    assertThat(rules.counter("downloads", -1, "downloads")).isEmpty();
  }

  @Test
  void reportsWhetherPlansNeedATimeOrAHolder() {
    assertThat(RuleSet.of().isScheduled()).isFalse();
    assertThat(RuleSet.of().isStatic()).isTrue();
    assertThat(RuleSet.of(Rule.named("a").limit(TEN).build()).isStatic()).isTrue();
    assertThat(RuleSet.of(Rule.named("a").limit(TEN).build()).hasConcurrency()).isFalse();
    assertThat(RuleSet.of(Rule.named("a").limit(Concurrency.of(1)).build()).isStatic()).isFalse();
    assertThat(RuleSet.of(Rule.named("a").limit(Concurrency.of(1)).build()).hasConcurrency())
        .isTrue();
    var inOverride = Rule.named("a").limit(TEN).override("key", "x", Concurrency.of(1)).build();
    assertThat(RuleSet.of(inOverride).hasConcurrency()).isTrue();
  }

  private static List<String> applying(RuleSet rules, Subject subject) {
    return plan(rules, subject).parts().stream().map(part -> part.rule().id()).toList();
  }

  private static List<Limit> limits(RuleSet rules, Subject subject) {
    return plan(rules, subject).charges().stream().map(Charge::limit).toList();
  }

  private static Plan plan(RuleSet rules, Subject subject) {
    return rules.plan(Request.of(subject), 0, 0);
  }
}
