package io.headgate.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ImpactReportTest {
  private static final String RULES =
      """
      - id: per-user
        match: { key: "user:*" }
        limit: { algorithm: token-bucket, rate: 100/1m }
        overrides:
          - { match: { key: "user:1" }, limit: { algorithm: token-bucket, rate: 1/1s } }
      - id: rest
        fallback: true
        limit: { algorithm: fixed-window, rate: 10/1h }
      """;
  private static final List<Subject> CALLERS =
      List.of(Subject.of("user:1"), Subject.of("user:2"), Subject.of("job"));

  private static ImpactReport effects(String after) {
    return ImpactReport.of(set(RULES), set(after), CALLERS, 0);
  }

  private static RuleSet set(String text) {
    return RuleSet.of(RuleFile.read(text));
  }

  private static String describe(ImpactReport effects) {
    var text = new StringBuilder();
    for (var affected : effects.affected()) {
      for (var effect : affected.effects()) {
        text.append(affected.subject()).append(' ').append(effect.kind()).append(' ');
        text.append(effect.rule()).append(' ').append(effect.edits()).append('\n');
      }
    }
    return text.toString();
  }

  @Test
  void onlyCallersWithAChangedLimitAreAffected() {
    var effects = effects(RULES.replace("100/1m", "200/1m"));
    assertThat(effects.sampled()).isEqualTo(3);
    assertThat(effects.count()).isEqualTo(1);
    assertThat(describe(effects))
        .isEqualTo("user:2 CHANGED per-user [limit.rate: 100/1m → 200/1m]\n");
    assertThat(describe(effects(RULES.replace("1/1s", "2/1s"))))
        .isEqualTo("user:1 CHANGED per-user [limit.rate: 1/1s → 2/1s]\n");
  }

  @Test
  void fallbackAppliesWhenARuleNoLongerMatches() {
    assertThat(describe(effects(RULES.replace("user:*", "customer:*"))))
        .contains("user:1 ADDED rest [", "user:1 REMOVED per-user [", "user:2 ADDED rest [")
        .doesNotContain("job");
  }

  @Test
  void callerThatIsDeniedOrExcusedIsAffected() {
    var single = "limit: { algorithm: token-bucket, rate: 1/1s }";
    assertThat(describe(effects(RULES.replace(single, "limit: deny"))))
        .isEqualTo(
            """
            user:1 CHANGED per-user [limit: (none) → deny, limit.algorithm: token-bucket → (none), \
            limit.rate: 1/1s → (none)]
            """);
    assertThat(describe(effects(RULES.replace(single, "limit: unlimited"))))
        .isEqualTo(
            """
            user:1 CHANGED per-user [limit: (none) → unlimited, \
            limit.algorithm: token-bucket → (none), limit.rate: 1/1s → (none)]
            """);
    assertThat(describe(effects(RULES + "- id: free\n  match: { key: job }\n  exempt: true\n")))
        .isEqualTo(
            """
            job ADDED free [exempt: (none) → true]
            job REMOVED rest [per: [] → (none), limit.algorithm: fixed-window → (none), \
            limit.rate: 10/1h → (none)]
            """);
  }

  @Test
  void changedCounterKeyIsAnEffect() {
    assertThat(
            describe(
                effects(
                    RULES.replace(
                        "match: { key: \"user:*\" }", "match: { key: \"user:*\" }\n  per: []"))))
        .contains("user:2 CHANGED per-user [per: [key] → []]");
  }

  @Test
  void changedDescriptionHasNoEffect() {
    assertThat(
            effects(RULES.replace("- id: per-user", "- id: per-user\n  description: new text"))
                .count())
        .isZero();
  }

  @Test
  void listOfAffectedCallersIsBounded() {
    var callers = IntStream.range(0, 500).mapToObj(i -> Subject.of("user:x" + i)).toList();
    var effects = ImpactReport.of(set(RULES), set(RULES.replace("100/1m", "9/1m")), callers, 0);
    assertThat(effects.count()).isEqualTo(500);
    assertThat(effects.affected()).hasSize(ImpactReport.MAX_LISTED);
  }
}
