package io.headgate.server.http.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.http.RawAnswer;
import io.headgate.server.http.RunningService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WhatIfHandlerTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Rule USERS =
      Rule.named("users").match("key", "user:*").limit(FixedWindow.of(Rate.perHour(2))).build();
  private static final Rule BYTES =
      Rule.named("all").match("key", "*").limit(FixedWindow.of(Rate.perHour(100))).build();
  private static final String STRICTER =
      "{id: users, match: {key: 'user:*'}, limit: {algorithm: fixed-window, rate: 1/1h}}";

  private final RunningService service = RunningService.with(USERS, BYTES);
  private final long startMillis = service.clock.get() / 1_000;

  @AfterEach
  void stop() {
    service.close();
  }

  private RawAnswer post(String rules, String replace, String log) {
    ObjectNode body = JSON.createObjectNode().put("rules", rules);
    if (replace.isEmpty()) body.putNull("replace");
    else body.put("replace", replace);
    var source = body.putObject("source").put("kind", log.isEmpty() ? "recent" : "log");
    if (!log.isEmpty()) source.put("text", log).put("key", "user:{user}");
    return service.post("/v1/what-if", body.toString());
  }

  private JsonNode simulate(String rules, String replace, String log) throws Exception {
    var answer = post(rules, replace, log);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private void check(String key, int times) {
    for (int i = 0; i < times; i++) {
      service.clock.addAndGet(1_000_000);
      service.post("/v1/check", "{\"key\":\"%s\"}".formatted(key));
    }
  }

  @Test
  void recentRequestsAreReplayedWithOneRuleReplaced() throws Exception {
    check("user:1", 3);
    check("user:2", 2);
    check("other", 1);
    var answer = simulate(STRICTER, "users", "");
    long start = startMillis;
    assertThat(answer.get("source").toString())
        .isEqualTo(
            "{\"kind\":\"recent\",\"from\":%d,\"to\":%d,\"requests\":6,\"replayed\":6,\"weight\":1,\"unreadable\":0,\"samples\":[],\"notes\":[]}"
                .formatted(start + 1_000, start + 6_000));
    assertThat(answer.get("before").toString())
        .isEqualTo("{\"allowed\":5,\"denied\":1,\"delayed\":0}");
    assertThat(answer.get("after").toString())
        .isEqualTo("{\"allowed\":3,\"denied\":3,\"delayed\":0}");
    assertThat(answer.get("changedToDenied").asInt()).isEqualTo(2);
    assertThat(answer.get("changedToAllowed").asInt()).isZero();
    assertThat(answer.get("byRule").toString())
        .isEqualTo(
            """
            [{"rule":"users","requestsBefore":5,"requestsAfter":5,"deniedBefore":1,"deniedAfter":3},\
            {"rule":"all","requestsBefore":6,"requestsAfter":6,"deniedBefore":0,"deniedAfter":0}]\
            """);
    assertThat(answer.at("/callers/0").toString())
        .isEqualTo(
            "{\"caller\":\"user:1\",\"requests\":3,\"deniedBefore\":1,\"deniedAfter\":2,\"firstDeniedAt\":%d}"
                .formatted(start + 2_000));
    assertThat(answer.at("/series/deniedAfter").toString()).isEqualTo("[0,1,1,0,1,0]");
  }

  @Test
  void rulesInForceDoNotChange() throws Exception {
    check("user:1", 1);
    simulate("rules: []", "", "");
    assertThat(service.limiter.rules().rules()).containsExactly(USERS, BYTES);
    assertThat(service.post("/v1/check", "{\"key\":\"user:1\"}").status()).isEqualTo(200);
    assertThat(service.post("/v1/check", "{\"key\":\"user:1\"}").status()).isEqualTo(429);
  }

  @Test
  void newRuleIsAppended() throws Exception {
    check("other", 3);
    var answer = simulate("{id: new, limit: {algorithm: fixed-window, rate: 1/1h}}", "new", "");
    assertThat(answer.at("/after/denied").asInt()).isEqualTo(2);
    assertThat(answer.at("/byRule/2/rule").asText()).isEqualTo("new");
  }

  @Test
  void logIsReplayedInOrderOfItsTimestamps() throws Exception {
    String log =
        """
        10.0.0.1 - ann [10/Oct/2026:15:55:36 +0200] "GET /a HTTP/1.1" 200 5
        10.0.0.1 - ann [10/Oct/2026:12:55:36 +0000] "GET /a HTTP/1.1" 200 5
        10.0.0.1 - ann [10/Oct/2026:13:55:37 +0000] "GET /a HTTP/1.1" 200 5
        nonsense
        10.0.0.1 - bob [10/Oct/2026:13:55:38 +0000] "GET /a HTTP/1.1" 200 5
        """;
    var answer = simulate("rules: [" + STRICTER + "]", "", log);
    assertThat(answer.at("/source/requests").asInt()).isEqualTo(4);
    assertThat(answer.at("/source/unreadable").asInt()).isEqualTo(1);
    assertThat(answer.at("/source/samples/0").asText())
        .startsWith("line 4: is not in common or combined log format, such as")
        .endsWith(": nonsense");
    assertThat(answer.at("/source/from").asLong()).isEqualTo(1_791_636_936_000L);
    assertThat(answer.at("/before/denied").asInt()).isZero();
    assertThat(answer.at("/after/denied").asInt()).isEqualTo(1);
    assertThat(answer.at("/callers/0/caller").asText()).isEqualTo("user:ann");
    assertThat(answer.at("/callers/0/firstDeniedAt").asLong()).isEqualTo(1_791_640_537_000L);
  }

  @Test
  void caveatsAreNoted() throws Exception {
    String rules =
        "rules: [{id: a, match: {tenant: '*'}, limit: {algorithm: concurrency, max: 1}}]";
    String log = "10.0.0.1 - ann [10/Oct/2026:15:55:36 +0200] \"GET /a HTTP/1.1\" 200 5";
    assertThat(simulate(rules, "", log).at("/source/notes"))
        .extracting(JsonNode::asText)
        .containsExactly(
            "no line has tenant, which the rules use; source.key sets the template of key,"
                + " ./headgate simulate --attr that of any attribute",
            "a log does not record when requests end, so slots of concurrency limits are held for their"
                + " lease");
    check("user:1", 1);
    assertThat(simulate(rules, "", "").at("/source/notes/0").asText())
        .startsWith("recent traffic does not record when requests end");
  }

  @Test
  void evictedCountersAreNoted() throws Exception {
    String rules =
        "rules: [{id: a, match: {key: '*'}, limit: {algorithm: sliding-window, rate: 1/1h, buckets: 1000}}]";
    var log = new StringBuilder();
    for (int i = 0; i < 5_000; i++)
      log.append("{\"ts\":1791640536,\"user\":").append(i).append("}\n");
    assertThat(simulate(rules, "", log.toString()).at("/source/notes/0").asText())
        .contains("4,044 of at most 4,044 counters", "./headgate simulate --max-keys");
  }

  @Test
  void logWithTooManyLinesIsRejected() {
    var answer = post("rules: []", "", "{\"ts\":1}\n".repeat(200_001));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body())
        .contains("source.text has more than 200,000 lines", "./headgate simulate");
  }

  @Test
  void attributeLengthIsLimited() {
    ObjectNode body = JSON.createObjectNode().put("rules", "rules: []");
    body.putObject("source")
        .put("kind", "log")
        .put("text", "{\"ts\":1,\"n\":1}\n".repeat(20_000))
        .put("key", "x".repeat(1_000) + "{n}");
    var answer = service.post("/v1/what-if", body.toString());
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).contains("attributes of more than 16,777,216 characters in all");
  }

  @Test
  void rulesThatNeedTooMuchMemoryAreRejected() {
    var rules = new StringBuilder("rules:\n");
    // Many rules and few lines: the windows stay small, so that the memory runs out before the
    // time.
    for (int i = 0; i < 1_000; i++) {
      rules.append(
          "  - {id: r%d, limit: {algorithm: rolling-window, rate: 10000/1h}}\n".formatted(i));
    }
    var answer = post(rules.toString(), "", "{\"ts\":1}\n".repeat(700));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body())
        .contains("would have to store more than 699,050 requests", "./headgate simulate");
  }

  @Test
  void repeatedFieldIsRejected() {
    assertThat(service.post("/v1/what-if", "{\"rules\":\"[]\",\"rules\":\"[]\"}").body())
        .contains("rules is given twice; give it once");
    assertThat(
            service
                .post("/v1/what-if", "{\"rules\":\"[]\",\"source\":{\"text\":\"\",\"text\":\"\"}}")
                .body())
        .contains("source.text is given twice");
  }

  @Test
  void rulesWithTooManyAttributesAreRejectedForALog() {
    var rules = new StringBuilder("rules:\n");
    for (int i = 0; i < 300; i++) {
      rules.append(
          "  - {id: r%d, match: {a%d: x}, limit: {algorithm: token-bucket, rate: 1/1s}}\n"
              .formatted(i, i));
    }
    var answer = post(rules.toString(), "", "x");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).contains("\"field\":\"rules\"", "a log can be read for at most 256");
  }

  @Test
  void invalidRequestIsReportedWithItsField() {
    assertThat(post("rules: [{id: a}]", "", "").body())
        .contains("the rules are not valid: 1:9: rules[0]", "\"problems\":[");
    assertThat(post("rules: []", "users", "").status()).isEqualTo(400);
    assertThat(service.post("/v1/what-if", "{\"source\":{}}").body()).contains("rules is missing");
    assertThat(service.post("/v1/what-if", "{\"rules\":\"\",\"source\":{\"kind\":\"x\"}}").body())
        .contains("source.kind must be recent or log, got 'x'");
    assertThat(
            service.post("/v1/what-if", "{\"rules\":\"[]\",\"source\":{\"kind\":\"log\"}}").body())
        .contains("source.text is missing");
    assertThat(
            service
                .post(
                    "/v1/what-if",
                    "{\"rules\":\"[]\",\"source\":{\"kind\":\"log\",\"text\":\"\",\"key\":\"{x\"}}")
                .body())
        .contains("source.key '{x' has a { that is not closed");
    assertThat(
            service
                .post(
                    "/v1/what-if",
                    "{\"rules\":\"[]\",\"source\":{\"kind\":\"log\",\"text\":\"\",\"key\":\"x}\"}}")
                .body())
        .contains("source.key 'x}' has a } without a {");
  }

  @Test
  void duplicateRuleIdIsRejected() {
    var answer = post(STRICTER, "all", "");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).contains("two rules have the id 'users'");
  }
}
