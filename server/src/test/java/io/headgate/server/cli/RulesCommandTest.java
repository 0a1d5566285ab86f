package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.api.AccessControl;
import io.headgate.server.cli.output.Printable;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the commands that read the rules of a service. */
class RulesCommandTest extends RunningRules {
  @Test
  void listPrintsATable() {
    run("rules", "list");
    assertThat(out)
        .isEqualTo(
            """
            ID         MODE              MATCH                   PER     LIMIT                                                 OVERRIDES
            per-user   enforce           key=user:*              key     token-bucket 100/1m burst 200                         1
            contract   enforce           tenant=acme|b* path=/x  tenant  fixed-window 10/1h and fixed-window 1k/1h cost bytes
            team/jobs  shadow, fallback  everything              all     concurrency 2
            """);
    assertThat(code).isEqualTo(0);
  }

  @Test
  void listShowsExceptionsSchedulesAndParametersOfLimits() {
    repository.change(
        ExpectedRevision.any(),
        new ChangeInfo("ann", ""),
        old ->
            RuleFile.read(
                """
                - id: nights
                  match: { path: { is: "/api/*", except: [/api/health, /api/ready] }, ip: "*" }
                  active: { days: mon-fri, hours: "22:00-06:00", zone: Europe/Berlin, until: 2027-01-01 }
                  limit: { algorithm: fixed-window, rate: 10/1d, align: calendar, zone: Europe/Berlin }
                - id: rest
                  match: { path: { except: /health } }
                  limit: { algorithm: leaky-bucket, rate: 10/1s, queue: 5 }
                - id: shared
                  match: { tenant: "*", zone: "*" }
                  limit: { algorithm: token-bucket, rate: 10/1s, fair: { among: tenant } }
                """));
    run("rules", "list");
    assertThat(out)
        .isEqualTo(
            """
            ID      MODE     MATCH                                           PER      LIMIT                                      OVERRIDES  ACTIVE
            nights  enforce  path=/api/* except /api/health|/api/ready ip=*  path,ip  fixed-window 10/1d calendar Europe/Berlin             mon-fri 22:00-06:00 until 2027-01-01 Europe/Berlin
            rest    enforce  path!=/health                                   path     leaky-bucket 10/1s queue 5
            shared  enforce  tenant=* zone=*                                 zone     token-bucket 10/1s fair among tenant
            """);
  }

  @Test
  void tableFitsTheTerminal() {
    terminal = Optional.of(60);
    run("rules", "list", "--search", "SHARE");
    assertThat(withoutColours(out).lines()).hasSize(2).allMatch(line -> line.length() <= 60);
    run("rules", "list");
    assertThat(withoutColours(out).lines()).allMatch(line -> line.length() <= 60);
    assertThat(out).contains("…");
  }

  @Test
  void searchFindsRules() {
    run("rules", "list", "--search", "share");
    assertThat(out).contains("per-user").doesNotContain("contract");
    run("rules", "list", "--search", "nothing of it");
    assertThat(out).isEqualTo("No rules found.\n");
    run("rules", "list", "--json");
    assertThat(RuleFile.read(out)).isEqualTo(RuleFile.read(RULES));
  }

  @Test
  void thousandsOfRulesAreListed() {
    var many =
        IntStream.range(0, 3_000)
            .mapToObj(i ->
                Rule.named("r" + i)
                    .limit(repository.inForce().rules().rules().getLast().limits().getFirst())
                    .build())
            .toList();
    write(RuleFile.yaml(many));
    run("rules", "apply", "rules.yaml");
    assertThat(out)
        .contains("… and 2003 more\n")
        .endsWith("Revision 2 is in force: 3000 added, 3 removed.\n");
    run("rules", "list");
    assertThat(out.lines()).hasSize(3_001);
  }

  @Test
  void showPrintsARuleAsYaml() {
    run("rules", "show", "team/jobs");
    assertThat(RuleFile.read(out)).containsExactly(RuleFile.read(RULES).getLast());
    run("rules", "show", "team/jobs", "--json");
    assertThat(out).startsWith("{\"id\":\"team/jobs\"");
    run("rules", "show", "nobody");
    assertThat(err)
        .isEqualTo("headgate: there is no rule 'nobody'; 'headgate rules list' lists them\n");
    assertThat(code).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "always", "never"})
  void coloursDependOnTerminalAndOption(String when) {
    run("rules", "diff", "1", "--color", when);
    assertThat(out.contains("\033[32m+ per-user")).isEqualTo(when.equals("always"));
    terminal = Optional.of(100);
    run("rules", "diff", "1", "--color", when);
    assertThat(out.contains("\033[32m+ per-user")).isEqualTo(!when.equals("never"));
    environment.put("NO_COLOR", "1");
    run("rules", "diff", "1", "--color", when);
    assertThat(out.contains("\033[32m+ per-user")).isEqualTo(when.equals("always"));
  }

  @Test
  void historyDiffAndRestoreWork() {
    write(RULES.replace("100/1m", "150/1m"));
    run("rules", "apply", "rules.yaml", "--message", "more", "--author", "ada");
    run("rules", "delete", "contract", "--author", "bob");
    run("rules", "restore", "1", "--author", "eve", "--message", "too much");
    assertThat(out)
        .startsWith("~ per-user\n    limit.rate: 150/1m → 100/1m\n+ contract\n")
        .endsWith("Revision 4 is in force: 1 added, 1 changed.\n");
    run("rules", "history");
    assertThat(
            out.replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ", "(at)                ")
                .lines())
        .containsExactly(
            "REVISION  WHEN                  AUTHOR    CHANGES             RULES  MESSAGE",
            "4         (at)                  eve       1 added, 1 changed  3      restores 1: too much",
            "3         (at)                  bob       1 removed           2",
            "2         (at)                  ada       1 changed           3      more",
            "1         (at)                  headgate  3 added             3");
    run("rules", "history", "--limit", "1");
    assertThat(out.lines()).hasSize(3).anyMatch(line -> line.contains("increase --limit"));
    run("rules", "diff", "2");
    assertThat(out).isEqualTo("~ per-user\n    limit.rate: 100/1m → 150/1m\n");
    run("rules", "diff", "3", "1");
    assertThat(out).contains("150/1m → 100/1m", "+ contract");
    run("rules", "diff", "1", "4");
    assertThat(out).isEqualTo("No difference.\n");
    run("rules", "restore", "9");
    assertThat(err).contains("there is no revision 9; there are 1 to 4");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void exportedRulesAreAppliedUnchanged() {
    run("rules", "export");
    write(out);
    assertThat(RuleFile.read(out)).isEqualTo(RuleFile.read(RULES));
    run("rules", "apply", "rules.yaml");
    assertThat(out).startsWith("Nothing to change");
    run("rules", "delete", "contract");
    run("rules", "export", "--revision", "1");
    assertThat(RuleFile.read(out)).isEqualTo(RuleFile.read(RULES));
    run("rules", "export", "--json");
    assertThat(RuleFile.read(out)).hasSize(2);
  }

  @Test
  void missingTokenAndMissingServiceAreErrors() throws Exception {
    service.close();
    serve(new AccessControl(Optional.of("s3cret"), Optional.empty()));
    run("rules", "delete", "contract");
    assertThat(err).contains("needs a token; give it with --token or HEADGATE_TOKEN");
    assertThat(code).isEqualTo(2);
    run("rules", "delete", "contract", "--token", "s3cret");
    assertThat(code).isEqualTo(0);
    run("rules", "list", "--url", "http://127.0.0.1:1");
    assertThat(err).startsWith("headgate: nothing listens at http://127.0.0.1:1");
    assertThat(code).isEqualTo(2);
    run("rules", "apply", "none.yaml");
    assertThat(err).isEqualTo("headgate: none.yaml: there is no such file\n");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void controlCharactersAreEscaped() {
    assertThat(Printable.of("a\033[2Jb\u202ec")).isEqualTo("a\\u001b[2Jb\\u202ec");
    assertThat(Printable.of("Jörg ✓")).isEqualTo("Jörg ✓");
  }
}
