package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.rule.RegionScope;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegionFieldsTest {
  private static String rule(String fields) {
    return "{ id: r, match: {}, limit: { algorithm: token-bucket, rate: 10/1m }, %s }"
        .formatted(fields);
  }

  @ParameterizedTest
  @CsvSource({"shared, SHARED", "local, LOCAL", "home, HOME"})
  void scopeIsRead(String text, RegionScope scope) {
    assertThat(RuleFile.readRule(rule("regions: " + text)).regions().scope()).hasValue(scope);
  }

  @Test
  void splitIsReadAndWritten() {
    var rule = RuleFile.readRule(rule("split: { eu: 60%, us: 0.125 }"));
    assertThat(rule.regions().split()).isEqualTo(Map.of("eu", 600, "us", 125));
    assertThat(rule.regions().pooled()).isEqualTo(275);
    assertThat(RuleFile.json(rule)).contains("\"split\":{\"eu\":\"60%\",\"us\":\"12.5%\"}");
    assertThat(RuleFile.read(RuleFile.yaml(List.of(rule)))).containsExactly(rule);
  }

  @Test
  void ruleWithoutRegionsWritesNone() {
    assertThat(RuleFile.json(RuleFile.readRule(rule("mode: shadow")))).doesNotContain("region");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "split: { eu: 60%, us: 41% } | adds up to 101%",
        "split: { eu: 0% } | 0.1% to 100%",
        "split: { EU: 60% } | lower-case letters",
        "regions: local, split: { eu: 60% } | remove split, or regions",
        "regions: everywhere | shared, local, home",
        "split: 60% | such as { eu: 60%, us: 40% }"
      })
  void invalidFieldNamesTheFix(String fields, String message) {
    assertThatThrownBy(() -> RuleFile.readRule(rule(fields))).hasMessageContaining(message);
  }

  @Test
  void limitThatCanNotBeSharedAsksForAnotherScope() {
    var rolling = "{ id: r, match: {}, limit: { algorithm: rolling-window, rate: 5/1m }, %s }";
    assertThatThrownBy(() -> RuleFile.readRule(rolling.formatted("regions: shared")))
        .hasMessageContaining("write regions: home or regions: local");
    assertThat(RuleFile.readRule(rolling.formatted("regions: home")).regions().scope())
        .hasValue(RegionScope.HOME);
  }
}
