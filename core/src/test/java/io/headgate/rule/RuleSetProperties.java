package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
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

  /** The parts of a random rule; its id is its index in the list. */
  record Sketch(String pattern, boolean fallback, Mode mode, List<String> overrides) {
    boolean matches(String key) {
      return Pattern.parse("key", pattern).matches(key);
    }

    int overrideFor(String key) {
      for (int i = 0; i < overrides.size(); i++) {
        if (Pattern.parse("key", overrides.get(i)).matches(key)) return i;
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
              .limit(TokenBucket.of(Rate.perSecond(1)));
      if (sketch.fallback) rule.fallback();
      for (var pattern : sketch.overrides) {
        rule.override("key", pattern, TokenBucket.of(Rate.perSecond(2)));
      }
      rules.add(rule.build());
    }
    return rules;
  }

  @Provide
  Arbitrary<List<Sketch>> sketches() {
    var patterns = Arbitraries.of(PATTERNS);
    return Combinators.combine(
            patterns,
            Arbitraries.of(true, false, false),
            Arbitraries.of(Mode.class),
            patterns.list().ofMaxSize(3))
        .as(Sketch::new)
        .list()
        .ofMaxSize(6);
  }

  @Provide
  Arbitrary<String> keys() {
    return Arbitraries.of("a", "ab", "b", "abb", "c");
  }
}
