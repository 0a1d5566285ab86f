package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the commands that change the rules of a service. */
class RuleChangesCommandTest extends RunningRules {
  @Test
  void applyPrintsTheDiffAndPutsTheRulesInForce() {
    write(RULES.replace("100/1m", "150/1m").replaceFirst("(?s)  - id: team/jobs.*", ""));
    run("rules", "apply", "rules.yaml", "--message", "more for all: 50 %", "--author", "Jörg");
    assertThat(out)
        .isEqualTo(
            """
            ~ per-user
                limit.rate: 100/1m → 150/1m
            - team/jobs
                limit.algorithm: concurrency
                limit.max: 2
                fallback: true
                mode: shadow
            Revision 2 is in force: 1 changed, 1 removed.
            """);
    assertThat(err).isEmpty();
    assertThat(code).isEqualTo(0);
    assertThat(limiter.rules().rules()).hasSize(2);
    var signature = repository.inForce().revision().changeInfo();
    assertThat(signature.author()).isEqualTo("Jörg");
    assertThat(signature.message()).isEqualTo("more for all: 50 %");
    run("rules", "apply", "rules.yaml");
    assertThat(out).isEqualTo("Nothing to change: revision 2 stays in force.\n");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void authorIsTheUserByDefault() {
    run("rules", "delete", "contract");
    assertThat(repository.inForce().revision().changeInfo().author())
        .isEqualTo(System.getProperty("user.name"));
  }

  @Test
  void dryRunPrintsChangesAndAffectedCallers() {
    run("check", "user:7");
    run("check", "user:42");
    write(RULES.replace("100/1m", "150/1m"));
    run("rules", "apply", "rules.yaml", "--dry-run");
    assertThat(out)
        .isEqualTo(
            """
            ~ per-user
                limit.rate: 100/1m → 150/1m
            Dry run, nothing was changed. Against revision 1: 1 changed.
            Of a sample of 2 recent callers 1 would be affected:
              key=user:7
                per-user limit.rate: 100/1m → 150/1m
            """);
    run("rules", "delete", "per-user", "--dry-run");
    assertThat(out)
        .contains(
            "Of a sample of 2 recent callers 2 would be affected:", "per-user no longer applies: ");
    assertThat(repository.inForce().number()).isEqualTo(1);
    assertThat(code).isEqualTo(0);
  }

  @Test
  void invalidFileIsRejectedWithTheProblemsOfLint() {
    write(RULES.replace("token-bucket", "token-buket").replace("10/1h", "x"));
    run("rules", "lint", "rules.yaml");
    String linted = out;
    run("rules", "apply", "rules.yaml");
    assertThat(out).isEqualTo(linted);
    assertThat(err).isEqualTo("headgate: nothing was changed: the rules are not valid\n");
    assertThat(code).isEqualTo(1);
    run("rules", "apply", "rules.yaml", "--json");
    assertThat(out).contains("\"problems\":[");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void staleRevisionIsRejected() {
    write(RULES.replace("100/1m", "150/1m"));
    run("rules", "delete", "contract");
    run("rules", "apply", "rules.yaml", "--if-revision", "1");
    assertThat(err)
        .isEqualTo(
            "headgate: nothing was changed: the rules are at revision 2, but the change is based on revision 1; reload and retry\n");
    assertThat(code).isEqualTo(1);
    run("rules", "apply", "rules.yaml", "--if-revision", "2");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void terminalAsksBeforeRulesAreRemoved() {
    terminal = Optional.of(100);
    write("rules: []");
    typed.add("n");
    run("rules", "apply", "rules.yaml", "--color=never");
    assertThat(out)
        .contains("- contract\n", "3 rules will be removed. Go ahead? [y/N] ")
        .endsWith("Nothing was changed.\n");
    assertThat(code).isEqualTo(1);
    assertThat(repository.inForce().number()).isEqualTo(1);
    run("rules", "apply", "rules.yaml");
    assertThat(code).as("an empty answer is a refusal").isEqualTo(1);
    typed.add("y");
    run("rules", "apply", "rules.yaml");
    assertThat(code).isEqualTo(0);
    assertThat(limiter.rules().rules()).isEmpty();
    write(RULES);
    run("rules", "apply", "rules.yaml");
    assertThat(code).as("adding needs no confirmation").isEqualTo(0);
    run("rules", "delete", "contract", "--yes");
    assertThat(code).isEqualTo(0);
    assertThat(typed).isEmpty();
  }

  @Test
  void changeIsBoundToTheRevisionThatWasShown() {
    terminal = Optional.of(100);
    write("rules: []");
    typed.add("y");
    var otherAuthor = new ChangeInfo("another author", "");
    whileAsked =
        () -> {
          var unused =
              repository.change(ExpectedRevision.any(), otherAuthor, rules -> rules.subList(0, 1));
        };
    run("rules", "apply", "rules.yaml");
    assertThat(err).contains("the rules are at revision 2, but the change is based on revision 1");
    assertThat(code).isEqualTo(1);
    assertThat(limiter.rules().rules()).hasSize(1);
  }
}
