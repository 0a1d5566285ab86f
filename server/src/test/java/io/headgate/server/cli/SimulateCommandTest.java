package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SimulateCommandTest extends Shell {
  private static final String RULES =
      """
      rules:
        - { id: per-ip, match: { ip: "*" }, limit: { algorithm: fixed-window, rate: 2/1m } }
        - { id: trial, mode: shadow, match: { path: /login }, limit: { algorithm: fixed-window, rate: 1/1h } }
      """;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), RULES);
    Files.writeString(folder.resolve("new.yaml"), RULES.replace("2/1m", "1/1m"));
    var log = new StringBuilder();
    for (int i = 0; i < 6; i++) {
      log.append(line("10.0.0." + i % 2, i, i == 4 ? "/login?x=1" : "/login"));
    }
    Files.writeString(folder.resolve("access.log"), log.append("<script>\n"));
  }

  private static String line(String ip, int second, String path) {
    return "%s - - [10/Oct/2026:13:55:0%d +0000] \"GET %s HTTP/1.1\" 200 1\n"
        .formatted(ip, second, path);
  }

  @Test
  void reportListsRulesAndCallers() {
    assertThat(run("simulate", "--rules", "rules.yaml", "--log", "access.log")).isZero();
    assertThat(out)
        .isEqualTo(
            """
            6 requests of 2 callers in 5s, from 2026-10-10 13:55:00Z to 2026-10-10 13:55:05Z
            Busiest second: 2026-10-10 13:55:00Z, with 1
            1 line can't be read:
              line 7: is not in common or combined log format, such as 10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 2326: <script>

            RULE            REQUESTS  ALLOWED  DENIED  DELAYED
            per-ip          6         4        2       0
            trial (shadow)  6         1        5       0
            all together    6         4        2       0

            CALLER       REQUESTS  DENIED  FIRST DENIED
            ip=10.0.0.0  3         1       2026-10-10 13:55:04Z
            ip=10.0.0.1  3         1       2026-10-10 13:55:05Z
            2 of 2 callers would be denied something
            """);
    assertThat(err).isEmpty();
  }

  @Test
  void twoRuleSetsAreCompared() {
    assertThat(
            run(
                "simulate",
                "--rules=new.yaml",
                "--against=rules.yaml",
                "--log=access.log",
                "--top=1"))
        .isZero();
    assertThat(out)
        .contains(
            """
            RULE            REQUESTS  ALLOWED  DENIED  DELAYED  DENIED BEFORE
            per-ip          6         2        4       0        2
            """,
            "2 requests would be denied that are not under rules.yaml, and 0 no longer\n",
            """
            CALLER       REQUESTS  DENIED  FIRST DENIED          DENIED BEFORE
            ip=10.0.0.0  3         2       2026-10-10 13:55:02Z  1
            2 of 2\
            """);
  }

  @Test
  void jsonOptionPrintsJson() throws IOException {
    run("simulate", "--rules=new.yaml", "--against=rules.yaml", "--log=access.log", "--json");
    var json = new ObjectMapper().readTree(out);
    assertThat(json.at("/after").toString())
        .isEqualTo("{\"allowed\":2,\"denied\":4,\"delayed\":0}");
    assertThat(json.at("/before/denied").asInt()).isEqualTo(2);
    assertThat(json.at("/byRule/0").toString())
        .isEqualTo("{\"rule\":\"per-ip\",\"requests\":6,\"allowed\":2,\"denied\":4,\"delayed\":0}");
    assertThat(json.at("/series/offered").toString()).isEqualTo("[1,1,1,1,1,1]");
    assertThat(json.at("/source/unreadable").asInt()).isEqualTo(1);
  }

  @Test
  void htmlIsSelfContainedAndEscaped() throws IOException {
    run(
        "simulate",
        "--rules=new.yaml",
        "--against=rules.yaml",
        "--log=access.log",
        "--html=out.html");
    String page = Files.readString(folder.resolve("out.html"));
    assertThat(page)
        .startsWith("<!doctype html>")
        .contains(
            "<svg class=\"time\"", "prefers-color-scheme:dark", "ip=10.0.0.1", "&lt;script&gt;")
        .doesNotContain("<script", "http://", "https://", "url(", " src=", "@import");
  }

  @Test
  void attributesAreMappedFromFields() throws IOException {
    Files.writeString(
        folder.resolve("keys.yaml"),
        "rules: [{ id: k, match: { key: 'at:*' }, limit: { algorithm: fixed-window, rate: 1/1h } }]");
    run("simulate", "--rules=keys.yaml", "--log=access.log", "--attr", "key=at:{path}");
    assertThat(out).contains("at:/login  6         5 ");
    run("simulate", "--rules=keys.yaml", "--log=access.log", "--attr", "key=at:{path}", "--query");
    assertThat(out).contains("at:/login  5         4 ");
    run("simulate", "--rules=keys.yaml", "--log=access.log", "--attr", "key=tenant");
    assertThat(out)
        .contains("Note: no line has key, which the rules use", "No request would be denied.");
    assertThat(run("simulate", "--rules=keys.yaml", "--log=access.log", "--attr", "key=a{"))
        .isEqualTo(2);
    assertThat(err).startsWith("headgate: --attr: 'a{' has a { that is not closed");
  }

  @Test
  void requestsOfOneSecondAreSpreadByDefault() throws IOException {
    Files.writeString(folder.resolve("busy.log"), line("10.0.0.1", 0, "/").repeat(10));
    Files.writeString(
        folder.resolve("even.yaml"),
        "rules: [{ id: a, match: { ip: '*' }, limit: { algorithm: token-bucket, rate: 10/1s, burst: 1 } }]");
    run("simulate", "--rules=even.yaml", "--log=busy.log");
    assertThat(out).contains("all together  10        10       0 ");
    run("simulate", "--rules=even.yaml", "--log=busy.log", "--no-spread");
    assertThat(out).contains("all together  10        1        9 ");
  }

  @Test
  void unreadableFilesExitWithTwoAndInvalidRulesWithOne() throws IOException {
    assertThat(run("simulate", "--rules=none.yaml", "--log=access.log")).isEqualTo(2);
    assertThat(err).isEqualTo("headgate: none.yaml: there is no such file\n");
    assertThat(run("simulate", "--rules=rules.yaml", "--log=none.log")).isEqualTo(2);
    assertThat(err).isEqualTo("headgate: none.log: there is no such file\n");
    assertThat(run("simulate", "--rules=rules.yaml", "--log=rules.yaml")).isEqualTo(2);
    assertThat(err)
        .startsWith("headgate: rules.yaml has no readable line; the first error: line 1:");
    assertThat(run("simulate", "--rules=rules.yaml")).isEqualTo(2);
    assertThat(err).contains("Missing required option: '--log=FILE'");
    Files.writeString(folder.resolve("bad.yaml"), "rules: [{ id: a }]");
    assertThat(run("simulate", "--rules=bad.yaml", "--log=access.log")).isEqualTo(1);
    assertThat(err).startsWith("bad.yaml:1:9: rules[0]");
  }
}
