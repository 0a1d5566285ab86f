package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.server.cli.output.JsonReply;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the commands that load a running service and watch it. */
class LoadCommandsTest extends RunningRules {
  @Test
  void benchAdmitsWhatTheLimitAllows() {
    run("bench", "user:7", "--duration", "1s", "--connections", "4");
    assertThat(code).isZero();
    // The clock of the service stands still, so the burst is all there is, less the first check.
    assertThat(out)
        .containsPattern("load +4 connections, as fast as answered\n")
        .containsPattern(
            "decisions +[\\d,]+ in [\\d.]+ s, [\\d,]+/s: 199 allowed, [\\d,]+ denied\n")
        .containsPattern("latency +p50 [\\d.]+ ms, p90 .*, p99.9 .*, max [\\d.]+ ms\n")
        .containsPattern(
            "limit +per-user \\(token-bucket 100/1m burst 200\\): 199 admitted, at most 20\\d")
        .containsPattern("< +[\\d.]+ ms +[\\d.]+% +█");
  }

  @Test
  void benchSpreadsOverKeysAtARate() throws Exception {
    run("bench", "user:k{n}", "--keys", "5", "--rate", "100", "--duration", "1s", "--json");
    var json = JsonReply.read(out);
    assertThat(json.at("allowed").number()).isEqualTo(100);
    assertThat(json.at("failed").number()).isZero();
    assertThat(json.at("sources").at("store").number()).isEqualTo(100);
    assertThat(json.at("limit").isPresent()).as("bound of one key").isFalse();
    run("check", "user:k4", "--peek");
    assertThat(out).contains("180 of 200 left");
  }

  @Test
  void benchRejectsOptionsThatMakeNoSense() {
    run("bench", "user:7", "--duration", "2h");
    assertThat(err).isEqualTo("headgate: --duration must be 1s to 1h, got 7200s\n");
    run("bench", "user:7", "--keys", "3");
    assertThat(err).contains("--keys 3 needs {n} in the key or an attribute, such as user:{n}");
    run("bench");
    assertThat(err).contains("no subject");
    service.close();
    run("bench", "user:7");
    assertThat(err).contains("refused").doesNotContain("Exception");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void topPrintsRulesAndCallersOnceWithoutATerminal() throws Exception {
    for (int i = 0; i < 6; i++) run("check", "user:42");
    // The figures are those of the last complete second.
    await().until(() -> run("top") == 0 && out.matches("(?s).*enforce +5 +1 .*user:42 +5 +1 .*"));
    assertThat(out.lines().toList())
        .anySatisfy(line -> assertThat(line).matches("per-user +enforce +5 +1 +0 +.*ago"))
        .anySatisfy(line -> assertThat(line).matches("user:42 +5 +1 +[\\d.]+ +per-user"));
    assertThat(out).startsWith("Headgate development at ").contains("rules 3, revision 1\n");
    run("top", "--limit", "1");
    assertThat(out).contains("per-user").doesNotContain("contract");
    run("top", "--json");
    assertThat(JsonReply.read(out).at("rules").at("rules").items()).hasSize(3);
  }

  @Test
  void topReplacesTheScreenOfATerminalAndSurvivesARestart() {
    terminal = Optional.of(100);
    run("top", "--count", "2", "--interval", "100ms");
    assertThat(out)
        .startsWith("\033[H\033[2J")
        .containsPattern("(?s)RULE.*\033\\[H\033\\[2J.*RULE");
    service.close();
    run("top", "--count", "2", "--interval", "100ms");
    assertThat(err).as("no service at the start is an error").contains("refused");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void topRejectsOptionsOutOfRange() {
    run("top", "--limit", "0");
    assertThat(err).isEqualTo("headgate: --limit must be 1 to 100, got 0\n");
    run("top", "--interval", "61m");
    assertThat(err).isEqualTo("headgate: --interval must be 100ms to 1h, got 1h 1m\n");
    run("top", "--interval", "5ms");
    assertThat(err).isEqualTo("headgate: --interval must be 100ms to 1h, got 5ms\n");
  }
}
