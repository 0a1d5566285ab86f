package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** Rules are read, and every problem is shown in its place. */
class LintCommandTest extends Shell {
  @Test
  void lintingGoodRulesCountsThem() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), RunningRules.RULES);
    run("rules", "lint", "rules.yaml");
    assertThat(out).isEqualTo("rules.yaml: 3 rules, no problems\n");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void lintingBadRulesShowsEveryProblemInItsPlace() throws IOException {
    Files.writeString(folder.resolve("good.yaml"), RunningRules.RULES);
    Files.writeString(
        folder.resolve("bad.yaml"),
        """
        rules:
          - id: per-user
            match: { key: "user:*" }
            limit: { algorithm: token-buckt, rate: 100/1m }
          - id: other
            limit: { algorithm: fixed-window, rate: -1/1m }
        """);
    run("rules", "lint", "good.yaml", "bad.yaml");
    assertThat(out.lines())
        .anyMatch("good.yaml: 3 rules, no problems"::equals)
        .anyMatch(line -> line.startsWith("bad.yaml:4:") && line.contains("token-bucket"))
        .anyMatch(line -> line.startsWith("bad.yaml:6:"));
    assertThat(code).isEqualTo(1);
  }

  @Test
  void lintingWhatIsNotThereExitsWithTwo() {
    run("rules", "lint", "none.yaml");
    assertThat(err).isEqualTo("headgate: none.yaml: there is no such file\n");
    assertThat(code).isEqualTo(2);
    run("rules", "lint", ".");
    assertThat(err).startsWith("headgate: . can't be read: ");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void theExamplePassesItsOwnLint() throws IOException {
    run("rules", "example");
    Files.writeString(folder.resolve("example.yaml"), out);
    run("rules", "lint", "example.yaml");
    assertThat(out).isEqualTo("example.yaml: 6 rules, no problems\n");
  }
}
