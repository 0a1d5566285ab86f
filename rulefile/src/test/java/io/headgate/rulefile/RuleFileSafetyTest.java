package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuleFileSafetyTest {
  private static final int MAX_LENGTH = 32 << 20;
  private static final String LIMIT = "{ algorithm: token-bucket, rate: 1/1m }";

  @Test
  void tooLongTextIsRejected() {
    assertThat(RuleFile.read("rules: []" + "\n".repeat(MAX_LENGTH - "rules: []".length())))
        .isEmpty();
    assertThatThrownBy(() -> RuleFile.read("\n".repeat(MAX_LENGTH + 1)))
        .isInstanceOf(RuleFileException.class)
        .hasMessage("1:1: the text is too long; at most 32 MB are read");
  }

  @Test
  void tooLongFileIsRejected(@TempDir Path directory) throws IOException {
    var bytes = new byte[MAX_LENGTH + 1];
    Arrays.fill(bytes, (byte) '\n');
    var file = Files.write(directory.resolve("rules.yaml"), bytes);
    assertThatThrownBy(() -> RuleFile.read(file))
        .isInstanceOf(RuleFileException.class)
        .hasMessage(file + ":1:1: the text is too long; at most 32 MB are read");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{a: ", "{\"a\":", "- ", "? ", "[{a: ["})
  void tooDeepNestingIsRejected(String open) {
    var thrown =
        catchThrowableOfType(RuleFileException.class, () -> RuleFile.read(open.repeat(500_000)));
    assertThat(thrown.problems()).hasSize(1);
    assertThat(thrown).hasMessageContaining("nested more than 32 deep");
  }

  @Test
  void aliasBombIsRejected() {
    var bomb = new StringBuilder("- &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
      bomb.append("- &a").append(i).append(" [").append(("*a" + (i - 1) + ", ").repeat(10));
      bomb.append("]\n");
    }
    assertThatThrownBy(() -> RuleFile.read(bomb.toString()))
        .isInstanceOf(RuleFileException.class)
        .hasMessage(
            "6:43: aliases such as *a4 repeat more than 1000000 values; write less by alias");
  }

  @Test
  void numberOfValuesIsLimitedByTheHeap() {
    var problems = new ProblemCollector();
    assertThat(DocumentParser.parse("[&a [x], *a, *a, z]", problems, 4)).isPresent();
    assertThat(DocumentParser.parse("[&a [x], *a, y, z]", problems, 4)).isEmpty();
    assertThatThrownBy(() -> problems.throwIfAny(""))
        .isInstanceOf(RuleFileException.class)
        .hasMessageStartingWith("1:17: there are more than 4 values, for which the heap");
  }

  @Test
  void cyclicAliasIsRejected() {
    assertThatThrownBy(() -> RuleFile.read("- &a { id: x, limit: *a }"))
        .isInstanceOf(RuleFileException.class)
        .hasMessage(
            "1:22: no value before this is marked &a; if a pattern is meant, quote it: \"*a\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "!!javax.script.ScriptEngineManager [x]",
        "!!java.net.URL [\"http://example.com\"]",
        "!x { a: b }",
        "!!str a",
        "! a",
        "!<tag:yaml.org,2002:int> 5",
      })
  void tagsAreRejected(String value) {
    assertThatThrownBy(() -> RuleFile.read("rules: []\nx: " + value))
        .isInstanceOf(RuleFileException.class)
        .hasMessageContaining("rule files use no tags, so leave it out");
  }

  @Test
  void hugeValueIsTruncatedInMessages() {
    String huge = "x".repeat(1_000_000);
    var thrown =
        catchThrowableOfType(
            RuleFileException.class,
            () ->
                RuleFile.read(
                    "- { id: a, mode: %s, match: { ip: \"%s\" }, %s: 1 }"
                        .formatted(huge, huge, "y".repeat(1000))));
    assertThat(thrown.getMessage()).hasSizeLessThan(5_000);
  }

  /** Each of these once took quadratic time: minutes for a text of permitted length. */
  @ParameterizedTest
  @ValueSource(strings = {"- id: @", "- id: \"@\"", "- id: a #@", "- &@ a"})
  void longTokenIsReadInTimeLinearInItsLength(String text) {
    var whole = text.replace("@", "x".repeat(MAX_LENGTH / 2));
    var deadline = Duration.ofMinutes(1); // linear time takes a second, quadratic time five minutes
    assertTimeoutPreemptively(
        deadline,
        () ->
            assertThatThrownBy(() -> RuleFile.read(whole))
                .isInstanceOf(RuleFileException.class)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(1_000)));
  }

  @Test
  void tooLongValueIsRejectedWithPosition() {
    assertThatThrownBy(() -> RuleFile.read("- id: a\n  description: " + "x".repeat(65_537)))
        .isInstanceOf(RuleFileException.class)
        .hasMessage(
            "2:16: '%s…' has 65537 characters; a value may have at most 65536"
                .formatted("x".repeat(60)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"burst: @", "rate: @/1m", "rate: 1/@", "rate: 1/1m, burst: @k"})
  void numberOfManyPartsIsRejectedWithPosition(String field) {
    for (var part : new String[] {"1_1", "1h1", "1,1", "1.1", "11"}) {
      String number = part.repeat(20_000);
      assertThatThrownBy(() ->
              RuleFile.read(
                  "- id: a\n  limit: { algorithm: token-bucket, %s }"
                      .formatted(field.replace("@", number))))
          .isInstanceOf(RuleFileException.class)
          .hasMessageStartingWith("2:")
          .hasMessageContaining("[0].limit.")
          .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(5_000));
    }
  }

  @Test
  void textOfManyPartsIsWrittenAndReadBack() {
    String parts = "a:a".repeat(10_000);
    var rules =
        RuleFile.read("- { id: a, match: { key: \"%s\" }, limit: %s }".formatted(parts, LIMIT));
    assertThat(RuleFile.read(RuleFile.yaml(rules))).isEqualTo(rules);
  }

  @Test
  void invisibleCharactersAreWrittenAsEscapesAndReadBack() {
    var rules =
        RuleFile.read(
            "- { id: a, match: { key: \"\\u202e\\u200b\\u009b\\ufeff\" }, limit: %s }"
                .formatted(LIMIT));
    assertThat(RuleFile.yaml(rules)).contains("\\u202e\\u200b\\u009b\\ufeff");
    assertThat(RuleFile.read(RuleFile.yaml(rules))).isEqualTo(rules);
  }
}
