package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.rules.ChangeInfo;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The commands that change the rules of a service. */
class RuleChangesCommandTest extends RunningRules {
  @Test
  void applyingAFileShowsTheDiffAndPutsItInForce() {
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
    var signature = book.inForce().revision().signature();
    assertThat(signature.author()).isEqualTo("Jörg");
    assertThat(signature.message()).isEqualTo("more for all: 50 %");
    run("rules", "apply", "rules.yaml");
    assertThat(out).isEqualTo("Nothing to change: the rules of revision 2 stay.\n");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void theAuthorIsTheUserUnlessSaidOtherwise() {
    run("rules", "delete", "contract");
    assertThat(book.inForce().revision().signature().author())
        .isEqualTo(System.getProperty("user.name"));
  }

  @Test
  void aDryRunSaysWhatWouldBeAndForWhom() {
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
    assertThat(book.inForce().number()).isEqualTo(1);
    assertThat(code).isEqualTo(0);
  }

  @Test
  void aFileThatIsNotValidIsRefusedAsLintWould() {
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
  void aRevisionThatIsNoLongerTheNewestIsRefused() {
    write(RULES.replace("100/1m", "150/1m"));
    run("rules", "delete", "contract");
    run("rules", "apply", "rules.yaml", "--if-revision", "1");
    assertThat(err)
        .isEqualTo(
            "headgate: nothing was changed: the rules are at revision 2, not 1 any more; look at them again\n");
    assertThat(code).isEqualTo(1);
    run("rules", "apply", "rules.yaml", "--if-revision", "2");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void onATerminalOneIsAskedBeforeRulesAreRemoved() {
    terminal = Optional.of(100);
    write("rules: []");
    typed.add("n");
    run("rules", "apply", "rules.yaml", "--color=never");
    assertThat(out)
        .contains("- contract\n", "3 rules will be removed. Go ahead? [y/N] ")
        .endsWith("Nothing was changed.\n");
    assertThat(code).isEqualTo(1);
    assertThat(book.inForce().number()).isEqualTo(1);
    run("rules", "apply", "rules.yaml");
    assertThat(code).as("who says nothing does not agree").isEqualTo(1);
    typed.add("y");
    run("rules", "apply", "rules.yaml");
    assertThat(code).isEqualTo(0);
    assertThat(limiter.rules().rules()).isEmpty();
    write(RULES);
    run("rules", "apply", "rules.yaml");
    assertThat(code).as("adding asks nobody").isEqualTo(0);
    run("rules", "delete", "contract", "--yes");
    assertThat(code).isEqualTo(0);
    assertThat(typed).isEmpty();
  }

  @Test
  void whatWasShownIsWhatIsDone() {
    terminal = Optional.of(100);
    write("rules: []");
    typed.add("y");
    var somebody = new ChangeInfo("somebody else", "");
    whileAsked =
        () -> {
          var unused = book.change(OptionalLong.empty(), somebody, rules -> rules.subList(0, 1));
        };
    run("rules", "apply", "rules.yaml");
    assertThat(err).contains("the rules are at revision 2, not 1 any more");
    assertThat(code).isEqualTo(1);
    assertThat(limiter.rules().rules()).hasSize(1);
  }
}
