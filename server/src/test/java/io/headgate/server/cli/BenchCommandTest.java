package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.cli.output.JsonReply;
import org.junit.jupiter.api.Test;

/** Loads a real service for a moment. */
class BenchCommandTest extends RunningRules {
  BenchCommandTest() {
    super(
        """
        rules:
          - id: per-user
            match: { key: "user:*" }
            limit: { algorithm: fixed-window, rate: 20/1h }
        """,
        1_789_300_800_000_000L);
  }

  @Test
  void reportHasRateLatencyAndTheAdmittedRequestsOfTheRule() {
    run("bench", "user:1", "--for", "500ms", "--connections", "4");
    assertThat(err).isEmpty();
    assertThat(out)
        .containsPattern("^[0-9,]+ checks in [0-9.]+ s over 4 connections: [0-9,]+ a second\n")
        .containsPattern("\n  latency    p50 [0-9.]+ ms, p90 .*, max [0-9.]+ ms\n")
        .contains("\n  decisions  20 allowed, ")
        .containsPattern("\n  rule       per-user: 20 admitted, [0-9,]+ denied, limit 20\n");
    assertThat(code).isZero();
  }

  @Test
  void jsonHasTheSameFigures() throws Exception {
    run("bench", "user:2", "--cost", "5", "--for", "300ms", "--connections", "2", "--json");
    var report = JsonReply.read(out);
    assertThat(report.at("allowed").number()).isEqualTo(4);
    assertThat(report.at("errors").number()).isZero();
    assertThat(report.at("latencyMs").at("p99").decimal()).isPositive();
  }

  @Test
  void wrongOptionsAndAMissingServiceAreErrors() throws Exception {
    run("bench", "user:1", "--connections", "0");
    assertThat(err).contains("--connections must be from 1 to 256");
    assertThat(code).isEqualTo(2);
    run("bench", "user:1", "--for", "11m");
    assertThat(err).contains("--for must be from 1ms to 10m");
    run("bench");
    assertThat(err).contains("no subject");
    service.close();
    run("bench", "user:1", "--for", "100ms");
    assertThat(out).isEmpty();
    assertThat(code).isEqualTo(2);
  }
}
