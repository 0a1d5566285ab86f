package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.headgate.limit.Deny;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Unlimited;
import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RuleTest {
  private static final TokenBucket LIMIT = TokenBucket.of(Rate.perSecond(1));

  private static Rule rule() {
    return Rule.named("r").match("user", "*").limit(LIMIT).build();
  }

  static Stream<UnaryOperator<Rule.Builder>> everySetting() {
    var tomorrow = LocalDateTime.of(2026, 1, 2, 0, 0);
    var other = RuleLimit.of("other", LIMIT);
    return Stream.of(
        rule -> rule.description("text"),
        rule -> rule.match("path", "/login"),
        rule -> rule.match(Match.EVERYTHING),
        rule -> rule.per("user", "path"),
        rule -> rule.per(),
        rule -> rule.combine(new Combine.Any()),
        rule -> rule.limit(other),
        rule -> rule.limits(List.of(other)),
        rule -> rule.override("user", "ada", LIMIT),
        rule -> rule.fallback(),
        rule -> rule.mode(Mode.SHADOW),
        rule -> rule.consistency(Consistency.LEASED),
        rule -> rule.onStoreFailure(new FailurePolicy.Deny()),
        rule -> rule.property("status", "503"),
        rule ->
            rule.active(
                new Schedule(
                    Set.of(DayOfWeek.values()),
                    Optional.empty(),
                    ZoneOffset.UTC,
                    Optional.of(tomorrow),
                    Optional.empty())));
  }

  @ParameterizedTest
  @MethodSource("everySetting")
  void rulesAreEqualIfAllSettingsAre(UnaryOperator<Rule.Builder> setting) {
    var changed = setting.apply(rule().toBuilder()).build();
    assertThat(changed).isNotEqualTo(rule());
    assertThat(setting.apply(rule().toBuilder()).build())
        .isEqualTo(changed)
        .hasSameHashCodeAs(changed)
        .hasToString(changed.toString());
  }

  @ParameterizedTest
  @MethodSource("everySetting")
  void builderOfARuleKeepsEverySetting(UnaryOperator<Rule.Builder> setting) {
    var changed = setting.apply(rule().toBuilder()).build();
    assertThat(changed.toBuilder().build()).isEqualTo(changed);
  }

  @Test
  void exemptRuleHasNoLimits() {
    var exempt = Rule.named("r").match("user", "*").exempt().build();
    assertThat(exempt.toBuilder().build()).isEqualTo(exempt).isNotEqualTo(rule());
    assertThat(exempt.limits()).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> exempt.toBuilder().limit(LIMIT).build())
        .withMessage(
            "rule 'r' is exempt, so it has no limits and no overrides; remove them or exempt");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> exempt.toBuilder().fallback().build())
        .withMessage("rule 'r' is exempt, so it can't be a fallback; remove one of the two");
  }

  @Test
  void limitWithoutACounterStandsAlone() {
    assertThat(Rule.named("r").limit(new Deny()).build().denies()).isTrue();
    assertThat(rule().denies()).isFalse();
    assertThat(rule().toBuilder().override("user", "a", new Deny()).build().denies()).isTrue();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rule.named("r").limit(LIMIT).limit(RuleLimit.of("d", new Deny())).build())
        .withMessage(
            "rule 'r' denies every request, so it has no other limits; remove them or deny");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rule.named("r").limit(new Unlimited()).build())
        .withMessage(
            "rule 'r' is unlimited, which only an override can be; to excuse subjects from all rules, make it exempt");
    var both = List.of(RuleLimit.of("a", LIMIT), RuleLimit.of("b", new Unlimited()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LimitOverride(Match.EVERYTHING, both))
        .withMessage(
            "'unlimited' is the whole limit of an override; remove it or the other limits");
  }

  /** An override without a counter shares none and has no separate one, whatever it matches. */
  @Test
  void overrideWithoutACounterHasNoSeparateOne() {
    var rule =
        rule().toBuilder()
            .override("path", "/a", new Deny())
            .override("path", "/b", new Unlimited())
            .build();
    assertThat(rule.separateCounters()).isEmpty();
  }

  @Test
  void builderIsIndependentOfTheRulesItBuilt() {
    var builder = Rule.named("r").limit(LIMIT);
    var built = builder.build();
    builder.limit(RuleLimit.of("other", LIMIT)).override("user", "ada", LIMIT).fallback();
    assertThat(built).isEqualTo(Rule.named("r").limit(LIMIT).build());
    assertThat(builder.build().limits()).hasSize(2);
  }

  @Test
  void replacingLimitsAndOverridesRemovesTheEarlierOnes() {
    var first = Rule.named("r").limit(LIMIT).override("user", "ada", LIMIT).fallback();
    var limits = List.of(RuleLimit.of("other", LIMIT));
    var replaced = first.limits(limits).overrides(List.of()).fallback(false).build();
    assertThat(replaced.limits()).isEqualTo(limits);
    assertThat(replaced.overrides()).isEmpty();
    assertThat(replaced.fallback()).isFalse();
  }

  @Test
  void propertiesArePassedOnUninterpreted() {
    var builder = Rule.named("r").limit(LIMIT).property("status", "503").property("a/b", "");
    var built = builder.build();
    builder.property("status", "teapot");
    assertThat(built.properties()).isEqualTo(Map.of("status", "503", "a/b", ""));
    assertThat(builder.build().properties()).containsEntry("status", "teapot");
    assertThat(rule().properties()).isEmpty();
  }

  @Test
  void numberOfPropertiesIsBounded() {
    var builder = Rule.named("r").limit(LIMIT);
    for (int i = 0; i < Rule.MAX_PROPERTIES; i++) builder.property("p" + i, "v".repeat(256));
    builder.property("p0", "replaced");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.property("p16", ""))
        .withMessage("rule 'r' may have at most 16 properties");
    assertThat(builder.build().properties()).hasSize(16).containsEntry("p0", "replaced");
  }

  static Stream<UnaryOperator<RuleLimit>> everySettingOfALimit() {
    return Stream.of(
        limit -> limit.withName("other"),
        limit -> limit.withCost("bytes"),
        limit -> limit.withPer("user"),
        limit -> limit.withPer(),
        limit -> limit.withWeight(2),
        limit -> limit.withPriority(2),
        limit -> limit.withScope(RuleLimit.Scope.USER));
  }

  @ParameterizedTest
  @MethodSource("everySettingOfALimit")
  void limitsAreEqualIfAllSettingsAre(UnaryOperator<RuleLimit> setting) {
    var limit = RuleLimit.of("calls", LIMIT);
    assertThat(setting.apply(limit)).isNotEqualTo(limit);
    assertThat(setting.apply(limit))
        .isEqualTo(setting.apply(RuleLimit.of("calls", LIMIT)))
        .hasSameHashCodeAs(setting.apply(limit))
        .hasToString(setting.apply(limit).toString());
    assertThat(limit).isNotEqualTo(RuleLimit.of("calls", LIMIT.withBurst(9)));
  }

  @ParameterizedTest
  @MethodSource("everySettingOfALimit")
  void eachWitherKeepsTheOtherSettings(UnaryOperator<RuleLimit> setting) {
    var full =
        RuleLimit.of("calls", LIMIT)
            .withCost("tokens")
            .withPer("path")
            .withWeight(7)
            .withPriority(8)
            .withScope(RuleLimit.Scope.GLOBAL);
    var changed = setting.apply(full);
    long different =
        Stream.of(
                changed.name().equals(full.name()),
                changed.limit().equals(full.limit()),
                changed.cost().equals(full.cost()),
                changed.per().equals(full.per()),
                changed.weight() == full.weight(),
                changed.priority() == full.priority(),
                changed.scope().equals(full.scope()))
            .filter(same -> !same)
            .count();
    assertThat(different).isEqualTo(1);
  }

  @Test
  void limitWithoutAttributesHasOneCounter() {
    var rule = Rule.named("r").match("user", "*").limit(RuleLimit.of("all", LIMIT).withPer());
    assertThat(rule.build().attributesOf(RuleLimit.of("all", LIMIT).withPer())).isEmpty();
  }
}
