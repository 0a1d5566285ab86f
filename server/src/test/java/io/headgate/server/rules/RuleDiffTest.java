package io.headgate.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleDiffTest {
  private static final String BEFORE =
      """
      - id: per-user
        match: { key: "user:*" }
        limit: { algorithm: token-bucket, rate: 100/1m, burst: 200 }
        overrides:
          - { match: { key: "user:1" }, limit: { algorithm: token-bucket, rate: 1/1s } }
          - { match: { key: "user:2" }, limit: { algorithm: token-bucket, rate: 2/1s } }
      - id: contract
        match: { tenant: [acme, "b*"] }
        limits:
          - { name: calls, algorithm: fixed-window, rate: 10/1h }
          - { name: bytes, algorithm: fixed-window, rate: 1000/1h, cost: bytes }
      - id: last
        limit: { algorithm: concurrency, max: 2 }
      """;

  private static String diff(String before, String after) {
    return String.join("\n", RuleDiff.of(rules(before), rules(after)).lines());
  }

  private static List<Rule> rules(String text) {
    return RuleFile.read(text);
  }

  @Test
  void changedFieldShowsOldAndNewValue() {
    String after = BEFORE.replace("100/1m, burst: 200", "200/1m");
    assertThat(diff(BEFORE, after))
        .isEqualTo(
            """
            ~ per-user
                limit.rate: 100/1m → 200/1m
                limit.burst: 200 → (none)\
            """);
  }

  @Test
  void limitInAListIsIdentifiedByName() {
    assertThat(diff(BEFORE, BEFORE.replace("1000/1h", "2000/1h")))
        .isEqualTo(
            """
            ~ contract
                limits[bytes].rate: 1k/1h → 2k/1h\
            """);
  }

  @Test
  void overrideIsIdentifiedByItsMatch() {
    assertThat(diff(BEFORE, BEFORE.replace("rate: 2/1s", "rate: 3/1s")))
        .isEqualTo(
            """
            ~ per-user
                overrides[key=user:2].limit.rate: 2/1s → 3/1s\
            """);
  }

  @Test
  void reorderedOverridesAreADifference() {
    String after =
        BEFORE.replace("user:1", "user:x").replace("user:2", "user:1").replace("user:x", "user:2");
    assertThat(
            diff(
                BEFORE,
                after.replace("1/1s", "x").replace("2/1s", "1/1s").replace("x }", "2/1s }")))
        .isEqualTo(
            """
            ~ per-user
                overrides (order): key=user:1, key=user:2 → key=user:2, key=user:1\
            """);
  }

  @Test
  void addedAndRemovedRulesAreShownCompletely() {
    String after =
        BEFORE.replaceFirst(
            "(?s)- id: last.*",
            "- id: new\n  mode: shadow\n  limit: { algorithm: fixed-window, rate: 1/1d }\n");
    assertThat(diff(BEFORE, after))
        .isEqualTo(
            """
            + new
                limit.algorithm: fixed-window
                limit.rate: 1/1d
                mode: shadow
            - last
                limit.algorithm: concurrency
                limit.max: 2\
            """);
  }

  @Test
  void fewestPossibleRulesAreReportedAsMoved() {
    var rules = rules(BEFORE);
    var turned = List.of(rules.get(2), rules.get(0), rules.get(1));
    assertThat(RuleDiff.of(rules, turned).lines()).containsExactly("> last moved to the top");
    assertThat(RuleDiff.of(turned, rules).lines()).containsExactly("> last moved after contract");
  }

  @Test
  void orderOfConditionsIsIrrelevant() {
    String one = "[{ id: a, match: { x: 1, y: 2 }, limit: { algorithm: concurrency, max: 1 } }]";
    String other = "[{ id: a, match: { y: 2, x: 1 }, limit: { algorithm: concurrency, max: 1 } }]";
    assertThat(RuleDiff.of(rules(one), rules(other)).isEmpty()).isTrue();
  }
}
