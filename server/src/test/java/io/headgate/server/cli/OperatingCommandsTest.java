package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.server.api.AccessControl;
import io.headgate.server.cli.output.JsonReply;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the commands that show and handle the state of a running service. */
class OperatingCommandsTest extends RunningRules {
  private static final String RULES =
      """
      rules:
        - id: per-user
          match: { key: "user:*" }
          limit: { algorithm: fixed-window, rate: 3/1h }
        - id: jobs
          match: { job: "*" }
          limit: { algorithm: concurrency, max: 1, lease: 30s }
      """;

  OperatingCommandsTest() {
    super(RULES, 1_789_300_800_000_000L);
  }

  @Test
  void statusShowsServiceStoreRulesAndDecisions() {
    run("check", "user:7");
    // The figures are those of the last complete second.
    await().until(() -> run("status") == 0 && out.contains("1 counter"));
    assertThat(out)
        .startsWith(
            "Headgate development at %s: ready, up ".formatted(environment.get("HEADGATE_URL")))
        .contains("\n  store      memory, 1 counter\n")
        .contains("\n  rules      2, revision 1")
        .contains("\n  instances  1\n")
        .containsPattern("\n  decisions  \\d+\\.\\d/s allowed, 0\\.0/s denied\n");
    assertThat(err).isEmpty();
    assertThat(code).isZero();
  }

  @Test
  void statusWithoutATokenShowsTheHealthOnly() throws Exception {
    service.close();
    serve(new AccessControl(Optional.of("adm1n"), Optional.empty()));
    run("status");
    assertThat(out)
        .isEqualTo(
            """
            Headgate at %s: ready
              store      memory
              rules      2, revision 1
            """
                .formatted(environment.get("HEADGATE_URL")));
    assertThat(err)
        .contains("the statistics are not shown: ", "needs a token", "--token or HEADGATE_TOKEN");
    assertThat(code).isZero();
    run("status", "--token", "adm1n");
    assertThat(out).contains("instances");
    assertThat(err).isEmpty();
  }

  @Test
  void statusAsJsonHasHealthAndStatistics() throws Exception {
    run("status", "--json");
    var json = JsonReply.read(out);
    assertThat(json.at("health").at("status").text()).isEqualTo("ready");
    assertThat(json.at("stats").at("rates").isPresent()).isTrue();
  }

  @Test
  void callersAreListedWithTheirCounts() {
    run("callers");
    assertThat(out).isEqualTo("No callers found.\n");
    for (int i = 0; i < 4; i++) run("check", "user:7");
    run("check", "user:8");
    await().until(() -> run("callers") == 0 && out.lines().count() == 3);
    assertThat(out.lines().toList())
        .hasSize(3)
        .satisfies(lines -> {
          assertThat(lines.get(0))
              .matches("CALLER +ALLOWED +DENIED +PER SECOND +BURST +LAST SEEN +RULES");
          assertThat(lines.get(1)).matches("user:7 +3 +1 +\\d.* ago +per-user");
          assertThat(lines.get(2)).matches("user:8 +1 +0 +\\d.* ago +per-user");
        });
    run("callers", "--limit", "1", "--sort", "allowed", "--rule", "per-user");
    assertThat(out.lines()).hasSize(2);
    run("callers", "--search", "er:8");
    assertThat(out).contains("user:8").doesNotContain("user:7");
    run("callers", "--limit", "0");
    assertThat(err).isEqualTo("headgate: limit must be a whole number, 1 to 1000, got '0'\n");
    assertThat(code).isEqualTo(2);
    run("callers", "--json");
    assertThat(out).startsWith("{\"now\":").endsWith("}\n");
  }

  @Test
  void resetMakesAllPermitsAvailable() {
    run("check", "user:7", "--cost", "3");
    run("reset", "user:7", "--rule", "per-user");
    assertThat(out).isEqualTo("Reset: rule per-user has all permits of key=user:7 again.\n");
    assertThat(code).isZero();
    run("check", "user:7", "--cost", "3");
    assertThat(code).isZero();
    run("reset", "user:7", "--rule", "jobs");
    assertThat(err)
        .isEqualTo(
            "headgate: rule 'jobs' does not apply to this subject; 'headgate explain' explains"
                + " why\n");
    assertThat(code).isEqualTo(2);
    run("reset", "user:7", "--rule", "none");
    assertThat(err)
        .isEqualTo("headgate: there is no rule 'none'; existing rules: per-user, jobs\n");
  }

  @Test
  void slotIsAcquiredRenewedAndReleased() {
    run("slots", "acquire", "--attr", "job=etl", "--quiet");
    String id = out.strip();
    assertThat(id).matches("[\\w-]+");
    run("slots", "acquire", "--attr", "job=etl");
    assertThat(out).startsWith("denied  jobs: 0 of 1 left").contains(", retry in ");
    assertThat(code).isEqualTo(1);
    run("slots", "renew", id);
    assertThat(out).isEqualTo("renewed\n");
    assertThat(code).isZero();
    run("slots", "renew", id, "--json");
    assertThat(out).startsWith("{\"renewed\":true,");
    run("slots", "release", id);
    assertThat(out).isEqualTo("released\n");
    assertThat(code).isZero();
    run("slots", "acquire", "--attr", "job=etl");
    assertThat(out).matches("acquired  jobs: 0 of 1 left.*\n  slot     [\\w-]+\n");
  }

  @Test
  void slotIsReleasedWithTheOutcomeOfItsCall() {
    run("slots", "acquire", "--attr", "job=etl", "--quiet");
    String id = out.strip();
    run("slots", "release", id, "--outcome", "success");
    assertThat(err).contains("--outcome and --duration belong together");
    assertThat(code).isEqualTo(2);
    run("slots", "release", id, "--outcome", "fine", "--duration", "48ms");
    assertThat(err).contains("'fine'").contains("[SUCCESS, ERROR, DROPPED] (case-insensitive)");
    assertThat(code).isEqualTo(2);
    run("slots", "release", id, "--outcome", "dropped", "--duration", "48ms");
    assertThat(out).isEqualTo("released\n");
    assertThat(code).isZero();
  }

  @Test
  void endedSlotExitsWithOneAndOtherErrorsWithTwo() {
    run("slots", "acquire", "--attr", "job=etl", "--quiet");
    String id = out.strip();
    run("slots", "release", id);
    for (var command : new String[] {"renew", "release"}) {
      run("slots", command, id);
      assertThat(err)
          .startsWith("headgate: the slot '" + id.substring(0, 20))
          .contains("' has expired or was released")
          .contains("'headgate slots acquire'");
      assertThat(code).isEqualTo(1);
      run("slots", command, "user 7");
      assertThat(err)
          .isEqualTo(
              "headgate: id 'user 7' is not the id of a slot; use the id that acquiring it returned\n");
      assertThat(code).isEqualTo(2);
    }
  }

  @Test
  void requestWithoutConcurrencyLimitHasNoSlot() {
    run("slots", "acquire", "user:7");
    assertThat(out)
        .isEqualTo(
            """
            allowed  per-user: 2 of 3 left, all back in 1h
              slot     none, since no concurrency limit applies
            """);
    assertThat(code).isZero();
    run("slots", "acquire", "user:7", "--quiet");
    assertThat(out).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rules show nobody",
        "rules delete nobody",
        "rules restore 99",
        "rules diff 99",
        "rules history --limit 0",
        "reset user:7 --rule jobs",
        "reset user:7 --rule none",
        "slots renew x",
        "slots release AAAA",
        "callers --limit 5000",
        "check user:7 --cost -1",
        "explain --attr =x"
      })
  void errorsContainNoHttpAdviceAndNoExceptionNames(String line) {
    run(line.split(" ", -1));
    assertThat(err)
        .startsWith("headgate: ")
        .doesNotContain("Exception", "Authorization", "Bearer", "If-Match", "the service replied")
        .doesNotContainPattern("(GET|POST|PUT|PATCH|DELETE) /");
    assertThat(code).isIn(1, 2);
  }
}
