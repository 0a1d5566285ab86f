package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Checks that a text is either a valid rule file or rejected with problems. Accepted rules compile,
 * and both of their written forms read back to the same rules. The same holds for the import of
 * Envoy's format.
 */
public final class RuleFileFuzzTarget {
  public static void fuzzerTestOneInput(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    try {
      requireRoundTrip(RuleFile.read(text));
    } catch (RuleFileException e) {
      assertThat(e.problems()).isNotEmpty();
    }
    try {
      requireRoundTrip(EnvoyFile.read(text).rules());
    } catch (RuleFileException e) {
      assertThat(e.problems()).isNotEmpty();
    }
  }

  private static void requireRoundTrip(List<Rule> rules) {
    assertThat(RuleSet.of(rules).rules()).isEqualTo(rules);
    assertThat(RuleFile.warnings(rules)).doesNotContainNull();
    var written = reread(RuleFile.yaml(rules));
    assertThat(written).hasSameSizeAs(rules);
    assertThat(reread(RuleFile.json(rules))).isEqualTo(written);
    assertThat(reread(RuleFile.yaml(written))).isEqualTo(written);
  }

  private static List<Rule> reread(String written) {
    try {
      return RuleFile.read(written);
    } catch (RuleFileException e) {
      throw new AssertionError("written rules cannot be read: " + written, e);
    }
  }

  private RuleFileFuzzTarget() {}
}
