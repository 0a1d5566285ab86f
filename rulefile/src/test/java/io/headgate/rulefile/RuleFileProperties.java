package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Combine;
import io.headgate.rule.LimitOverride;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class RuleFileProperties {
  @Property
  void writtenRulesReadBackEqual(@ForAll Random random) {
    var rules = new Rules(random).rules().stream().map(RuleFileProperties::effective).toList();
    assertThat(RuleFile.read(RuleFile.yaml(rules))).isEqualTo(rules);
    assertThat(RuleFile.read(RuleFile.json(rules))).isEqualTo(rules);
  }

  @Property
  void writtenRuleReadsBackEqual(@ForAll Random random) {
    var rule = effective(new Rules(random).rule("a"));
    assertThat(RuleFile.readRule(RuleFile.json(rule))).isEqualTo(rule);
    assertThat(RuleFile.json(rule)).doesNotContain("\n");
  }

  @Property
  void onlySettingsWithoutEffectAreNotWritten(@ForAll Random random) {
    var rules = new Rules(random).rules();
    var effective = rules.stream().map(RuleFileProperties::effective).toList();
    assertThat(RuleFile.read(RuleFile.yaml(rules))).isEqualTo(effective);
    assertThat(RuleFile.json(rules)).isEqualTo(RuleFile.json(effective));
  }

  @Property
  void damagedFileIsReadOrRejectedWithPositions(@ForAll Random random) {
    var rules = new Rules(random).rules();
    String text = random.nextBoolean() ? RuleFile.yaml(rules) : RuleFile.json(rules);
    String damaged = damage(text, random);
    try {
      RuleFile.read(damaged);
    } catch (RuleFileException e) {
      long lines = damaged.lines().count();
      assertThat(e.problems()).isNotEmpty();
      for (var problem : e.problems()) {
        assertThat((long) problem.line()).isBetween(1L, lines + 1);
        assertThat(problem.column()).isPositive();
        assertThat(problem.message()).isNotBlank();
      }
    }
  }

  /** Returns the rule without the settings that have no effect with its combination. */
  private static Rule effective(Rule rule) {
    boolean several =
        rule.limits().size() > 1
            || rule.overrides().stream().anyMatch(override -> override.limits().size() > 1);
    var combine = several ? rule.combine() : new Combine.All();
    return rule.toBuilder()
        .combine(combine)
        .limits(effective(combine, rule.limits()))
        .overrides(
            rule.overrides().stream()
                .map(o -> new LimitOverride(o.match(), effective(combine, o.limits())))
                .toList())
        .build();
  }

  private static List<RuleLimit> effective(Combine combine, List<RuleLimit> limits) {
    return limits.stream().map(limit -> effective(combine, limit)).toList();
  }

  private static RuleLimit effective(Combine combine, RuleLimit limit) {
    var plain = RuleLimit.of(limit.name(), limit.limit());
    if (limit.tuning().isPresent()) plain = plain.withTuning(limit.tuning().get());
    if (limit.cost().isPresent()) plain = plain.withCost(limit.cost().get());
    if (limit.isCostRequired()) plain = plain.withRequiredCost(limit.cost().orElseThrow());
    if (limit.per().isPresent()) plain = plain.withPer(limit.per().get());
    return switch (combine) {
      case Combine.Weighted weighted -> plain.withWeight(limit.weight());
      case Combine.Priority priority -> plain.withPriority(limit.priority());
      case Combine.Hierarchical hierarchical -> limit.scope().map(plain::withScope).orElse(plain);
      case Combine.All all -> plain;
      case Combine.Any any -> plain;
    };
  }

  /** Deletes, doubles, replaces or inserts up to three pieces. */
  private static String damage(String text, Random random) {
    var damaged = new StringBuilder(text);
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      int from = random.nextInt(damaged.length() + 1);
      int to = Math.min(damaged.length(), from + random.nextInt(6));
      String piece =
          switch (random.nextInt(4)) {
            case 0 -> "";
            case 1 -> damaged.substring(from, to).repeat(2);
            case 2 -> Character.toString(random.nextInt(0x180));
            default -> "{}[]:,\"'*&!|>%@`#-?\n\t\\~0".substring(random.nextInt(24)).substring(0, 1);
          };
      damaged.replace(from, to, piece);
    }
    return damaged.toString();
  }
}
