package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuleFileSafetyTest {
  private static final int LONGEST = 32 << 20;

  @Test
  void aTextThatIsTooLongIsNotRead() {
    assertThat(RuleFile.read("rules: []" + "\n".repeat(LONGEST - "rules: []".length()))).isEmpty();
    assertThatThrownBy(() -> RuleFile.read("\n".repeat(LONGEST + 1)))
        .isInstanceOf(RuleFileException.class)
        .hasMessage("1:1: the text is too long; at most 32 MB are read");
  }

  @Test
  void aFileThatIsTooLongIsNotRead(@TempDir Path directory) throws IOException {
    var bytes = new byte[LONGEST + 1];
    Arrays.fill(bytes, (byte) '\n');
    var file = Files.write(directory.resolve("rules.yaml"), bytes);
    assertThatThrownBy(() -> RuleFile.read(file))
        .isInstanceOf(RuleFileException.class)
        .hasMessage(file + ":1:1: the text is too long; at most 32 MB are read");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{a: ", "{\"a\":", "- ", "? ", "[{a: ["})
  void whatIsNestedTooDeepIsNotRead(String open) {
    var thrown =
        catchThrowableOfType(RuleFileException.class, () -> RuleFile.read(open.repeat(500_000)));
    assertThat(thrown.problems()).hasSize(1);
    assertThat(thrown).hasMessageContaining("nested more than 32 deep");
  }

  @Test
  void aFewAliasesThatStandForVeryMuchAreNotFollowed() {
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
  void aValueCannotContainItself() {
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
  void noTagIsFollowed(String value) {
    assertThatThrownBy(() -> RuleFile.read("rules: []\nx: " + value))
        .isInstanceOf(RuleFileException.class)
        .hasMessageContaining("rule files use no tags, so leave it out");
  }

  @Test
  void aHugeValueIsNotRepeatedInFull() {
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
}
