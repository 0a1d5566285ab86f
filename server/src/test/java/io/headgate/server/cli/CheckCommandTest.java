package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.api.AccessControl;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests check and explain against a running service. */
class CheckCommandTest extends RunningRules {
  private static final String RULES =
      """
      rules:
        - id: per-user
          match: { key: "user:*" }
          limit: { algorithm: fixed-window, rate: 3/1h }
          overrides:
            - { match: { key: "user:42" }, limit: { algorithm: fixed-window, rate: 5/1h } }
        - id: contract
          match: { tenant: "*" }
          limits:
            - { name: calls, algorithm: fixed-window, rate: 10/1h }
            - { name: bytes, algorithm: fixed-window, rate: 1000/1h, cost: bytes }
        - id: jobs
          match: { job: "*" }
          limit: { algorithm: concurrency, max: 2, lease: 30s }
        - id: line
          match: { line: "*" }
          limit: { algorithm: leaky-bucket, rate: 10/1s, queue: 5 }
        - id: trial
          match: { trial: "*" }
          mode: shadow
          limit: { algorithm: fixed-window, rate: 1/1h }
      """;

  CheckCommandTest() {
    super(RULES, 1_789_300_800_000_000L);
  }

  @Test
  void allowedCheckPrintsRemainingPermitsAndExitsWithZero() {
    run("check", "user:7");
    assertThat(out).isEqualTo("allowed  per-user: 2 of 3 left, all back in 1h\n");
    assertThat(err).isEmpty();
    assertThat(code).isEqualTo(0);
  }

  @Test
  void deniedCheckPrintsRetryTimeAndExitsWithOne() {
    run("check", "user:7", "--cost", "3");
    run("check", "user:7");
    assertThat(out).isEqualTo("denied  per-user: 0 of 3 left, all back in 1h, retry in 1h\n");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void impossibleCostIsReported() {
    run("check", "user:7", "--cost=4");
    assertThat(out)
        .isEqualTo("denied  per-user: 3 of 3 left, the cost exceeds the capacity of the limit\n");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void severalLimitsAreListed() {
    run("check", "user:7", "--attr", "tenant=acme", "--costs", "bytes=512");
    assertThat(out)
        .isEqualTo(
            """
            allowed  per-user: 2 of 3 left, all back in 1h
              limits   per-user 2/3, contract/calls 9/10, contract/bytes 488/1000
            """);
  }

  @Test
  void slotIdIsPrinted() {
    run("check", "--attr", "job=etl");
    assertThat(out).matches("allowed  jobs: 1 of 2 left, all back in 30s\n  slot     [\\w-]+\n");
  }

  @Test
  void delayIsPrintedOrWaitedFor() {
    run("check", "--attr", "line=x");
    run("check", "--attr", "line=x");
    assertThat(out).isEqualTo("allowed  line: 4 of 6 left, all back in 200ms, go ahead in 100ms\n");
    run("check", "--attr", "line=x", "--wait");
    assertThat(out).isEqualTo("allowed  line: 3 of 6 left, all back in 100ms, waited 200ms\n");
  }

  @Test
  void shadowDenialIsPrinted() {
    run("check", "--attr", "trial=x");
    run("check", "--attr", "trial=x");
    assertThat(out).isEqualTo("allowed  no rule applies\n  shadow   would deny: trial\n");
    assertThat(code).isEqualTo(0);
  }

  @Test
  void peekChargesNothing() {
    for (int i = 0; i < 9; i++) run("check", "user:7", "--peek");
    assertThat(out).startsWith("allowed  per-user: 3 of 3 left");
    run("check", "user:7", "--peek", "--wait");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void jsonOptionPrintsTheResponse() {
    run("check", "nobody", "--json");
    assertThat(out)
        .isEqualTo(
            """
            {"allowed":true,"rule":null,"limit":null,"remaining":null,"retryAfterMs":0,\
            "resetAfterMs":0,"delayMs":0,"source":"store","violated":[],"limits":[]}
            """);
  }

  @Test
  void explainShowsMatchingRulesAndNearMisses() {
    run("check", "user:42");
    run("explain", "user:42", "--attr", "tenant=acme");
    assertThat(out)
        .isEqualTo(
            """
            2 rules apply to key=user:42, tenant=acme
              per-user  applies, with override 1: key user:42 matches user:*
                        fixed-window: 4 of 5 left, all back in 1h, counter of key=user:42
              contract  applies: tenant acme matches *
                        calls, fixed-window: 10 of 10 left, counter of tenant=acme
                        bytes, fixed-window: 1000 of 1000 left, counter of tenant=acme
            Near misses:
              jobs      job is (absent), not *
              line      line is (absent), not *
              trial     trial is (absent), not *
            """);
    assertThat(code).isEqualTo(0);
    run("explain", "user:42", "--json");
    assertThat(out).startsWith("{\"subject\":{\"key\":\"user:42\"},\"rules\":[{");
  }

  @Test
  void unusedCostIsShown() {
    run("check", "--attr", "tenant=acme", "--costs", "byte=90000");
    assertThat(out).contains("allowed  ", "  unused   no limit that matches spends: byte\n");
    run("check", "--attr", "tenant=acme", "--costs", "bytes=9");
    assertThat(out).doesNotContain("unused");
  }

  @Test
  void explainNamesTheCallersThatShareACounter() {
    limiter.replaceRules(
        RuleSet.of(
            RuleFile.read(
                """
                - { id: a, match: { key: "*" }, per: [usr], limit: { algorithm: fixed-window, rate: 1/1h } }
                - { id: b, match: { key: "*" }, per: [], limit: { algorithm: fixed-window, rate: 1/1h } }
                """)));
    run("explain", "user:42");
    assertThat(out)
        .contains(
            "1 of 1 left, one counter for all callers without usr\n",
            "1 of 1 left, one counter for all callers\n");
  }

  @Test
  void explainCountsAllRulesThatDoNotApply() {
    var many = new StringBuilder("rules:\n");
    for (int i = 0; i < 22; i++) {
      many.append(
          "  - {id: r%d, match: {key: 'x'}, limit: {algorithm: fixed-window, rate: 1/1h}}\n"
              .formatted(i));
    }
    limiter.replaceRules(RuleSet.of(RuleFile.read(many.toString())));
    run("explain", "user:42");
    assertThat(out)
        .startsWith("No rule applies to key=user:42\nNear misses:\n")
        .endsWith("2 more rules do not apply.\n");
  }

  @Test
  void tokenIsSentToTheService() throws Exception {
    service.close();
    serve(new AccessControl(Optional.of("adm1n"), Optional.of("ch3ck")));
    run("check", "user:7");
    assertThat(err)
        .isEqualTo(
            "headgate: the service at %s needs a token; give it with --token or HEADGATE_TOKEN\n"
                .formatted(environment.get("HEADGATE_URL")));
    assertThat(code).isEqualTo(2);
    run("check", "user:7", "--token", "ch3ck");
    assertThat(code).isEqualTo(0);
    run("check", "user:7", "--token", "wrong");
    assertThat(err).contains("does not accept this token; check --token or HEADGATE_TOKEN");
    run("explain", "user:7", "--token", "ch3ck");
    assertThat(err)
        .contains("use a token of role read, with --token or HEADGATE_TOKEN")
        .doesNotContain("ch3ck");
    assertThat(code).isEqualTo(2);
    environment.put("HEADGATE_TOKEN", "ch3ck");
    run("check", "user:7");
    assertThat(code).isEqualTo(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost:8080", "ftp://x", "http://", "::", "http:// x"})
  void invalidUrlIsRejected(String url) {
    run("check", "user:7", "--url", url);
    assertThat(err).contains("'" + url + "' is not a valid URL");
    assertThat(code).isEqualTo(2);
  }

  @Test
  void errorOfTheServiceIsPrinted() {
    run("check", "user:7", "--cost", "-1");
    assertThat(err).contains("headgate: cost must be 0 to 4503599627370496, got -1");
    assertThat(code).isEqualTo(2);
  }
}
