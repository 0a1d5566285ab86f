package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** Tests the lint command. */
class LintCommandTest extends Shell {
  @Test
  void validRulesAreCounted() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), RunningRules.RULES);
    run("rules", "lint", "rules.yaml");
    assertThat(out).isEqualTo("rules.yaml: 3 rules, no problems\n");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void everyProblemIsPrintedWithItsPosition() throws IOException {
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
  void missingFileExitsWithTwo() {
    run("rules", "lint", "none.yaml");
    assertThat(err).isEqualTo("headgate: none.yaml: there is no such file\n");
    assertThat(code).isEqualTo(2);
    run("rules", "lint", ".");
    assertThat(err).startsWith("headgate: . can't be read: ");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void overrideThatCallersCanChooseCausesAWarning() throws IOException {
    Files.writeString(
        folder.resolve("rules.yaml"),
        """
        rules:
          - id: api
            match: { user: "*" }
            limit: { algorithm: fixed-window, rate: 100/1m }
            overrides:
              - { match: { user: ann }, limit: { algorithm: fixed-window, rate: 500/1m } }
              - { match: { path: /export }, limit: { algorithm: fixed-window, rate: 1000/1h } }
          - id: rest
            fallback: true
            limit: { algorithm: fixed-window, rate: 10/1m }
        """);
    run("rules", "lint", "rules.yaml");
    assertThat(out)
        .isEqualTo(
            """
            rules.yaml: warning: rule 'api': override 2 (path: /export) has a counter of its own for limit 'api', because path is not in per [user]. A caller that chooses path gets both the rule's fixed-window rate 100/1m and the override's fixed-window rate 1k/1h. If that is too much, limit both together in another rule
            rules.yaml: 2 rules, no problems, 1 warning
            """);
    assertThat(code).isEqualTo(0);
  }

  @Test
  void ruleThatCallersEscapeCausesAWarning() throws IOException {
    Files.writeString(
        folder.resolve("rules.yaml"),
        "[{ id: r, match: { ip: \"*\" }, limit: { algorithm: fixed-window, rate: 9/1s } }]");
    run("rules", "lint", "rules.yaml");
    assertThat(out)
        .startsWith("rules.yaml: warning: rule 'r': a caller without ip escapes it")
        .endsWith("rules.yaml: 1 rule, no problems, 1 warning\n");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void exampleRulesAreValid() throws IOException {
    run("rules", "example");
    Files.writeString(folder.resolve("example.yaml"), out);
    run("rules", "lint", "example.yaml");
    assertThat(out).isEqualTo("example.yaml: 6 rules, no problems\n");
  }
}
