package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Deny;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Unlimited;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class RuleSetProperties {
  private static final List<String> PATTERNS = List.of("*", "a*", "ab", "b", "*b");

  /** What a rule or override does with its subjects. */
  private enum Kind {
    LIMITS,
    DENIES,
    EXCUSES
  }

  /** A random override, which excuses from its rule if it excuses. */
  record OverrideSketch(String pattern, Kind kind) {}

  /**
   * The parts of a random rule; its id is its index in the list. An exempt rule has neither
   * overrides nor is it a fallback.
   */
  record Sketch(
      String pattern, boolean fallback, Mode mode, Kind kind, List<OverrideSketch> overrides) {
    Sketch {
      fallback &= kind != Kind.EXCUSES;
      overrides = kind == Kind.EXCUSES ? List.of() : overrides;
    }

    /** What the rule does with a subject, by the override that applies. */
    Kind kindFor(String key) {
      int override = overrideFor(key);
      return override < 0 ? kind : overrides.get(override).kind;
    }

    boolean matches(String key) {
      return Pattern.parse("key", pattern).matches(key);
    }

    int overrideFor(String key) {
      for (int i = 0; i < overrides.size(); i++) {
        if (Pattern.parse("key", overrides.get(i).pattern).matches(key)) return i;
      }
      return -1;
    }
  }

  @Property(tries = 1_000)
  void planContainsTheRulesThatApply(
      @ForAll("sketches") List<Sketch> sketches, @ForAll("keys") String key) {
    var rules = RuleSet.of(rules(sketches));
    var plan = rules.plan(Request.of(Subject.of(key)), 0, 0);

    assertThat(plan.parts().stream().map(part -> part.rule().id() + "#" + part.override()).toList())
        .isEqualTo(expected(sketches, key));
  }

  /** Rules that deny or excuse have no charges, so a plan that they decide needs no store. */
  @Property(tries = 1_000)
  void planChargesTheRulesWithLimitsOnly(
      @ForAll("sketches") List<Sketch> sketches, @ForAll("keys") String key) {
    var plan = RuleSet.of(rules(sketches)).plan(Request.of(Subject.of(key)), 0, 0);
    for (var part : plan.parts()) {
      var sketch = sketches.get(Integer.parseInt(part.rule().id().substring(1)));
      var kind = sketch.kindFor(key);
      assertThat(part.counters()).hasSize(kind == Kind.LIMITS ? 1 : 0);
      assertThat(part.denies()).isEqualTo(kind == Kind.DENIES);
      for (int i = 0; i < part.counters().size(); i++) {
        assertThat(plan.charges().get(part.from() + i).counter()).isEqualTo(part.counters().get(i));
      }
    }
    assertThat(plan.stored().charges()).isEqualTo(plan.charges());
    assertThat(plan.stored().parts()).noneMatch(part -> part.counters().isEmpty());
    assertThat(plan.hasNoCharges()).isEqualTo(plan.charges().isEmpty());
  }

  @Property(tries = 1_000)
  void explainAgreesWithThePlan(
      @ForAll("sketches") List<Sketch> sketches, @ForAll("keys") String key) {
    var explained = RuleSet.of(rules(sketches)).explain(Subject.of(key), 0);

    assertThat(explained).hasSize(sketches.size());
    assertThat(
            explained.stream()
                .filter(MatchExplanation::applies)
                .map(e -> e.rule().id() + "#" + e.override().orElse(-1)))
        .containsExactlyInAnyOrderElementsOf(expected(sketches, key));
  }

  private static List<String> expected(List<Sketch> sketches, String key) {
    for (var decisive : List.of(Kind.EXCUSES, Kind.DENIES)) {
      var alone = deciding(sketches, key, decisive);
      if (!alone.isEmpty()) return alone.subList(0, 1);
    }
    return applying(sketches, key);
  }

  /** The rules that decide alone: exempt ones, or those that apply and deny. */
  private static List<String> deciding(List<Sketch> sketches, String key, Kind kind) {
    var applying = applying(sketches, key);
    var deciding = new ArrayList<String>();
    for (int i = 0; i < sketches.size(); i++) {
      var sketch = sketches.get(i);
      String name = "r" + i + "#" + sketch.overrideFor(key);
      boolean decides =
          kind == Kind.EXCUSES ? sketch.kind == kind : sketch.kindFor(key) == Kind.DENIES;
      if (decides && sketch.mode == Mode.ENFORCE && applying.contains(name)) deciding.add(name);
    }
    return deciding;
  }

  private static List<String> applying(List<Sketch> sketches, String key) {
    var normal = new ArrayList<String>();
    var fallbacks = new ArrayList<String>();
    boolean somebodyHasASay = false;
    for (int i = 0; i < sketches.size(); i++) {
      var sketch = sketches.get(i);
      if (!sketch.matches(key) || sketch.mode == Mode.OFF) continue;
      (sketch.fallback ? fallbacks : normal).add("r" + i + "#" + sketch.overrideFor(key));
      somebodyHasASay |= !sketch.fallback && sketch.mode == Mode.ENFORCE;
    }
    if (!somebodyHasASay) normal.addAll(fallbacks);
    return normal;
  }

  private static List<Rule> rules(List<Sketch> sketches) {
    var rules = new ArrayList<Rule>();
    for (var sketch : sketches) {
      var rule =
          Rule.named("r" + rules.size())
              .match("key", sketch.pattern)
              .mode(sketch.mode)
              .fallback(sketch.fallback);
      switch (sketch.kind) {
        case LIMITS -> rule.limit(TokenBucket.of(Rate.perSecond(1)));
        case DENIES -> rule.limit(new Deny());
        case EXCUSES -> rule.exempt();
      }
      for (var override : sketch.overrides) {
        rule.override("key", override.pattern, limit(override.kind));
      }
      rules.add(rule.build());
    }
    return rules;
  }

  private static Limit limit(Kind kind) {
    return switch (kind) {
      case LIMITS -> TokenBucket.of(Rate.perSecond(2));
      case DENIES -> new Deny();
      case EXCUSES -> new Unlimited();
    };
  }

  @Provide
  Arbitrary<List<Sketch>> sketches() {
    var patterns = Arbitraries.of(PATTERNS);
    var kinds = Arbitraries.of(Kind.LIMITS, Kind.LIMITS, Kind.LIMITS, Kind.DENIES, Kind.EXCUSES);
    return Combinators.combine(
            patterns,
            Arbitraries.of(true, false, false),
            Arbitraries.of(Mode.class),
            kinds,
            Combinators.combine(patterns, kinds).as(OverrideSketch::new).list().ofMaxSize(3))
        .as(Sketch::new)
        .list()
        .ofMaxSize(6);
  }

  @Provide
  Arbitrary<String> keys() {
    return Arbitraries.of("a", "ab", "b", "abb", "c");
  }
}
