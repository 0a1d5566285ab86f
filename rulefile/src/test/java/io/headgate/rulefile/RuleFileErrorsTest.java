package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RuleFileErrorsTest {
  /** {@code errors.txt} has, for each case, its name, a rule file, and the expected message. */
  record Case(String name, String file, String message) {
    @Override
    public String toString() {
      return name;
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void invalidFileIsRejectedWithMessage(Case invalid) {
    assertThatThrownBy(() -> RuleFile.read(invalid.file()))
        .isInstanceOf(RuleFileException.class)
        .hasMessage(invalid.message());
  }

  static List<Case> cases() throws IOException {
    var cases = new ArrayList<Case>();
    var block = Pattern.compile("## (.*)\n((?:.*\n)*?)=>\n((?:.+\n)+)\n?");
    try (var in = RuleFileErrorsTest.class.getResourceAsStream("errors.txt")) {
      var text = block.matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      while (text.lookingAt()) {
        cases.add(new Case(text.group(1), text.group(2), text.group(3).strip()));
        text.region(text.end(), text.regionEnd());
      }
      assertThat(text.regionStart()).as("all of errors.txt is cases").isEqualTo(text.regionEnd());
    }
    return cases;
  }

  @Test
  void problemHasPositionAndField() {
    var thrown =
        catchThrowableOfType(
            RuleFileException.class,
            () -> RuleFile.read("rules:\n  - id: a\n    limit: 5\n    mode: of\n"));
    assertThat(thrown.problems())
        .containsExactly(
            new RuleProblem(
                3,
                12,
                "rules[0].limit",
                "must be a map such as { algorithm: token-bucket, rate: 100/1m }, or deny, got '5'"),
            new RuleProblem(
                4,
                11,
                "rules[0].mode",
                "'of' is not known; did you mean off? Allowed: enforce, shadow, off"));
    assertThat(thrown.more()).isZero();
  }

  @Test
  void fieldsOfASingleRuleHaveRelativePaths() {
    assertThatThrownBy(() -> RuleFile.readRule("{\"id\":\"a\",\"limit\":{\"algorithm\":\"x\"}}"))
        .isInstanceOf(RuleFileException.class)
        .hasMessageStartingWith("1:32: limit.algorithm: 'x' is not known.");
  }

  @Test
  void firstProblemsAreListedAndTheRestCounted() {
    var thrown =
        catchThrowableOfType(
            RuleFileException.class, () -> RuleFile.read("- mode: x\n".repeat(1000)));
    assertThat(thrown.problems()).hasSize(50);
    assertThat(thrown.more()).isEqualTo(2950); // no id, no limit, no such mode
    assertThat(thrown).hasMessageEndingWith("\n… and 2950 more");
  }

  @Test
  void quotedTextStaysOnOneLine() {
    var thrown =
        catchThrowableOfType(
            RuleFileException.class,
            () -> RuleFile.read("- { id: \"a\\nrules: \\u2028\", \"x\\ny\": 1, limit: 5 }"));
    assertThat(thrown.getMessage().lines()).hasSize(3);
    assertThat(thrown).hasMessageContaining("rules[0].x\\u000ay: unknown field");
  }

  @Test
  void controlCharacterIsNamed() {
    assertThatThrownBy(() -> RuleFile.read("- id: a\n  description: 😀x\u0007"))
        .isInstanceOf(RuleFileException.class)
        .hasMessage("2:18: the character U+0007 is not allowed here; in quotes, write \\u0007");
  }
}
