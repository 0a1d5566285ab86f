package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.MatchExplanation.Condition;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class MatchExplanationTest {
  private static final TokenBucket LIMIT = TokenBucket.of(Rate.perSecond(1));

  @Test
  void applyingRuleShowsTheConditionsMet() {
    var rule = Rule.named("r").match("user", "4*").match("path", "/login").limit(LIMIT).build();
    var explanation = explain(Subject.of("path", "/login").with("user", "42"), rule);
    assertThat(explanation.applies()).isTrue();
    assertThat(explanation.reason()).isEqualTo("applies");
    assertThat(explanation.conditions())
        .containsExactly(
            new Condition("user", "4*", "42", true),
            new Condition("path", "/login", "/login", true));
    assertThat(explanation.met()).isEqualTo(2);
    assertThat(explanation.override()).isEmpty();
  }

  @Test
  void nearMissShowsTheAttributeThatDiffers() {
    var rule = Rule.named("r").match("user", "4*").match("path", "/login").limit(LIMIT).build();
    var explanation = explain(Subject.of("path", "/logout").with("user", "42"), rule);
    assertThat(explanation.applies()).isFalse();
    assertThat(explanation.reason()).isEqualTo("path is /logout, not /login");
    assertThat(explanation.met()).isEqualTo(1);
  }

  @Test
  void missingAttributeIsShownAsAbsent() {
    var rule = Rule.named("r").match("user", "*").limit(LIMIT).build();
    var explanation = explain(Subject.of("x"), rule);
    assertThat(explanation.reason()).isEqualTo("user is (absent), not *");
    assertThat(explanation.conditions())
        .containsExactly(new Condition("user", "*", Condition.ABSENT, false));
  }

  @Test
  void conditionThatAnAbsentAttributeMeetsIsShown() {
    var rule =
        Rule.named("r")
            .match(new Match(Map.of("user", new Pattern.OrAbsent(Pattern.parse("user", "4*")))))
            .limit(LIMIT)
            .build();
    var explanation = explain(Subject.of("x"), rule);
    assertThat(explanation.applies()).isTrue();
    assertThat(explanation.conditions())
        .containsExactly(new Condition("user", "4* or absent", Condition.ABSENT, true));
    assertThat(explain(Subject.of("user", "5"), rule).reason())
        .isEqualTo("user is 5, not 4* or absent");
  }

  @Test
  void applyingOverrideIsShown() {
    var rule =
        Rule.named("r")
            .match("key", "user:*")
            .limit(LIMIT)
            .override("key", "user:1", LIMIT)
            .override("key", "user:42", LIMIT)
            .build();
    var explanation = explain(Subject.of("user:42"), rule);
    assertThat(explanation.override()).isEqualTo(OptionalInt.of(1));
    assertThat(explanation.reason()).isEqualTo("applies, with override 2");
  }

  @Test
  void shadowRuleIsExplained() {
    var rule = Rule.named("r").mode(Mode.SHADOW).limit(LIMIT).build();
    var explanation = explain(Subject.of("x"), rule);
    assertThat(explanation.applies()).isTrue();
    assertThat(explanation.reason()).isEqualTo("applies in shadow: counts and never denies");
  }

  @Test
  void disabledRuleIsExplained() {
    var rule = Rule.named("r").mode(Mode.OFF).limit(LIMIT).build();
    var explanation = explain(Subject.of("x"), rule);
    assertThat(explanation.applies()).isFalse();
    assertThat(explanation.reason()).isEqualTo("matches, but its mode is off");
  }

  @Test
  void inactiveRuleIsExplained() {
    var later =
        new Schedule(
            Schedule.ALWAYS.days(),
            Optional.empty(),
            ZoneOffset.UTC,
            Optional.of(LocalDateTime.of(2500, 1, 1, 0, 0)),
            Optional.empty());
    var rule = Rule.named("r").active(later).limit(LIMIT).build();
    var explanation = explain(Subject.of("x"), rule);
    assertThat(explanation.applies()).isFalse();
    assertThat(explanation.reason()).isEqualTo("matches, but is not active at this time");
  }

  @Test
  void fallbackThatDoesNotApplyIsExplained() {
    var fallback = Rule.named("default").fallback().limit(LIMIT).build();
    var other = Rule.named("other").limit(LIMIT).build();
    assertThat(explain(Subject.of("x"), fallback, other).reason())
        .isEqualTo("is a fallback, and another rule applies");
    assertThat(explain(Subject.of("x"), fallback).reason()).isEqualTo("applies");
  }

  /** Explains the first rule. */
  private static MatchExplanation explain(Subject subject, Rule... rules) {
    return RuleSet.of(rules).explain(subject, 0).getFirst();
  }
}
