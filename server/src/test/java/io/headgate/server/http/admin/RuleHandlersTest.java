package io.headgate.server.http.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.http.Admin;
import io.headgate.server.http.RawAnswer;
import io.headgate.server.http.RunningService;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleHandlersTest {
  private static final Rule USERS = rule("users", 10);
  private static final Rule JOBS = rule("team/jobs", 5);
  private static final String YAML = "Content-Type: application/yaml";

  private final RunningService service = RunningService.with(USERS, JOBS);
  private final Admin admin = new Admin(service.port());

  private static Rule rule(String id, long rate) {
    return Rule.named(id).match("key", id + ":*").limit(FixedWindow.of(Rate.perHour(rate))).build();
  }

  @AfterEach
  void stop() {
    admin.close();
    service.close();
  }

  private void assertRefused(RawAnswer answer, int status, String... expected) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    assertThat(answer.mediaType()).isEqualTo("application/problem+json");
    assertThat(answer.body()).contains("\"status\":" + status);
    for (var text : expected) assertThat(answer.body()).contains(text);
    assertThat(service.repository.inForce().number()).as("nothing changes").isEqualTo(1);
  }

  @Test
  void listedRulesCanBePutBack() {
    var answer = admin.get("/v1/rules");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.mediaType()).isEqualTo("application/json");
    assertThat(answer.header("ETag")).isEqualTo("\"1\"");
    assertThat(RuleFile.read(answer.body())).containsExactly(USERS, JOBS);
    var back = admin.put("/v1/rules", answer.body());
    assertThat(back.status()).isEqualTo(200);
    assertThat(back.body()).contains("\"changed\":false", "\"number\":1");
  }

  @ParameterizedTest
  @CsvSource({
    "application/yaml,true", "text/yaml,true", "'text/html, application/yaml;q=0.5',true",
    "application/json,false", "'application/json, application/yaml',false", "*/*,false",
    "'application/yaml;q=0',false"
  })
  void yamlIsNegotiated(String accept, boolean yaml) {
    var answer = admin.get("/v1/rules", "Accept: " + accept);
    assertThat(answer.mediaType()).isEqualTo(yaml ? "application/yaml" : "application/json");
    assertThat(answer.body().startsWith("rules:")).isEqualTo(yaml);
    assertThat(RuleFile.read(answer.body())).containsExactly(USERS, JOBS);
    assertThat(answer.header("Vary")).isEqualTo("Accept");
  }

  @Test
  void matchingETagIsAnsweredWith304() {
    for (var path : new String[] {"/v1/rules", "/v1/rules/users", "/v1/rules?limit=1"}) {
      for (var tag : new String[] {"\"1\"", "W/\"1\"", "\"0\", \"1\"", "*"}) {
        var answer = admin.get(path, "If-None-Match: " + tag);
        assertThat(answer.status()).isEqualTo(304);
        assertThat(answer.header("ETag")).isEqualTo("\"1\"");
        assertThat(answer.body()).isEmpty();
      }
      assertThat(admin.get(path, "If-None-Match: \"2\"").status()).isEqualTo(200);
    }
  }

  @Test
  void rulesArePagedAndSearched() {
    var many =
        IntStream.range(0, 2_500)
            .mapToObj(i -> rule("r" + i, 1 + i))
            .map(rule -> rule.id().equals("r1234") ? described(rule) : rule)
            .toList();
    assertThat(admin.put("/v1/rules", RuleFile.json(many)).status()).isEqualTo(200);
    var first = admin.get("/v1/rules?limit=1000");
    assertThat(first.body())
        .startsWith("{\"revision\":2,\"total\":2500,\"next\":\"r999\",\"rules\":[{\"id\":\"r0\"");
    var last = admin.get("/v1/rules?limit=1000&after=r1999");
    assertThat(last.body()).contains("[{\"id\":\"r2000\"").doesNotContain("\"next\"");
    var found = admin.get("/v1/rules?search=BIG%20c");
    assertThat(found.body()).startsWith("{\"revision\":2,\"total\":1,\"rules\":[{\"id\":\"r1234\"");
    assertThat(admin.get("/v1/rules?search=r24").body()).contains("\"total\":111");
    assertThat(admin.put("/v1/rules", first.body()).status()).as("a part is no set").isEqualTo(400);
  }

  private static Rule described(Rule rule) {
    var limit = rule.limits().getFirst();
    return Rule.named(rule.id()).description("for the Big customer").limit(limit).build();
  }

  @Test
  void ruleIsShownByItsEncodedId() {
    var answer = admin.get("/v1/rules/team%2Fjobs");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("ETag")).isEqualTo("\"1\"");
    assertThat(RuleFile.readRule(answer.body())).isEqualTo(JOBS);
    assertRefused(admin.get("/v1/rules/nobody"), 404, "there is no rule 'nobody'");
    assertRefused(admin.get("/v1/rules/team/jobs"), 404, "there is no endpoint");
    assertRefused(admin.get("/v1/rules/%C3"), 400, "must be UTF-8");
    assertRefused(admin.get("/v1/rules/%zz"), 400, "must be UTF-8");
  }

  @Test
  void replacedRulesAreInForceWhenAnswered() {
    var answer =
        admin.put(
            "/v1/rules",
            "rules: [{ id: all, limit: { algorithm: fixed-window, rate: 1/1h } }]",
            YAML);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("ETag")).isEqualTo("\"2\"");
    assertThat(answer.body())
        .startsWith("{\"changed\":true,\"revision\":{\"number\":2,")
        .contains(
            "\"author\":\"anonymous\",\"message\":\"\",\"added\":1,\"changed\":0,\"removed\":2,\"rules\":1}")
        .contains(
            "{\"id\":\"all\",\"change\":\"added\",\"fields\":[{\"field\":\"limit.algorithm\",\"before\":null,\"after\":\"fixed-window\"}")
        .contains("{\"id\":\"users\",\"change\":\"removed\"");
    assertThat(service.post("/v1/check", "{\"key\":\"x\"}").body()).contains("\"rule\":\"all\"");
    assertThat(service.post("/v1/check", "{\"key\":\"x\"}").status()).isEqualTo(429);
  }

  @Test
  void ruleIsCreatedReplacedAndDeleted() {
    var created =
        admin.put(
            "/v1/rules/new",
            "{\"id\":\"new\",\"limit\":{\"algorithm\":\"concurrency\",\"max\":1}}");
    assertThat(created.status()).isEqualTo(201);
    assertThat(created.body()).contains("\"added\":1,\"changed\":0,\"removed\":0,\"rules\":3}");
    var replaced = admin.put("/v1/rules/users", RuleFile.json(rule("users", 20)));
    assertThat(replaced.status()).isEqualTo(200);
    assertThat(replaced.body())
        .contains("{\"field\":\"limit.rate\",\"before\":\"10/1h\",\"after\":\"20/1h\"}");
    assertThat(service.post("/v1/peek", "{\"key\":\"users:1\"}").body()).contains("\"limit\":20");
    var deleted = admin.delete("/v1/rules/team%2Fjobs");
    assertThat(deleted.status()).isEqualTo(200);
    assertThat(deleted.header("ETag")).isEqualTo("\"4\"");
    assertThat(RuleFile.read(admin.get("/v1/rules").body()))
        .extracting(Rule::id)
        .containsExactly("users", "new");
  }

  @Test
  void unchangedRuleCreatesNoRevision() {
    var answer = admin.put("/v1/rules/users", RuleFile.json(USERS));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).contains("\"changed\":false");
    assertThat(service.repository.inForce().number()).isEqualTo(1);
  }

  @Test
  void changeForAnotherRevisionIsStale() {
    String rule = RuleFile.json(rule("users", 7));
    for (var change :
        new RawAnswer[] {
          admin.put("/v1/rules/users", rule, "If-Match: \"2\""),
          admin.put("/v1/rules", "[]", "If-Match: \"2\""),
          admin.put("/v1/rules?dry-run=true", "[]", "If-Match: \"2\""),
          admin.delete("/v1/rules/users", "If-Match: \"2\""),
          admin.post("/v1/revisions/1/restore", "If-Match: \"2\"")
        }) {
      assertRefused(change, 409, "revision 1, but the change is based on revision 2", "\"field\":\"If-Match\"");
    }
    assertThat(admin.put("/v1/rules/users", rule, "If-Match: \"1\"").status()).isEqualTo(200);
    assertThat(admin.put("/v1/rules", "[]", "If-Match: *").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1", "\"one\"", "\"01\"", "\"\"", "\"1", "W/\"1\"", "\"1\", \"2\"", "\"-1\""})
  void malformedIfMatchIsRejected(String tag) {
    assertRefused(
        admin.delete("/v1/rules/users", "If-Match: " + tag), 400, "\"field\":\"If-Match\"");
  }

  @Test
  void allErrorsOfARuleSetAreListedAndNothingIsApplied() {
    var answer =
        admin.put(
            "/v1/rules",
            """
            rules:
              - id: good
                limit: { algorithm: fixed-window, rate: 1/1h }
              - id: bad
                limit: { algorithm: token-buket, rate: 100/1m }
              - id: good
                limit: { algorithm: fixed-window, rate: x }
            """,
            YAML);
    assertRefused(
        answer,
        400,
        "\"problems\":[{\"line\":5,\"column\":25,\"field\":\"rules[1].limit.algorithm\",\"message\":\"'token-buket' is not known; did you mean token-bucket? Allowed:",
        "{\"line\":6,",
        "\"line\":7,",
        "(and 2 more)");
    assertThat(service.repository.inForce().rules().rules()).containsExactly(USERS, JOBS);
  }

  @Test
  void otherInvalidBodiesAreRejected() {
    assertRefused(admin.put("/v1/rules", ""), 400, "is empty");
    assertRefused(admin.put("/v1/rules", "{}"), 400, "rules: is missing");
    assertRefused(admin.put("/v1/rules/users", "[]"), 400);
    assertRefused(
        admin.put("/v1/rules/users", RuleFile.json(JOBS)),
        400,
        "'team/jobs' in the body and 'users'");
    assertRefused(admin.delete("/v1/rules/nobody"), 404, "there is no rule 'nobody'");
    assertRefused(
        admin.put("/v1/rules", "[]", "Content-Type: text/plain"), 415, "application/yaml");
    assertRefused(admin.put("/v1/rules", "[]", "Content-Encoding: gzip"), 415);
    assertRefused(admin.put("/v1/rules", "#".repeat(8 * 1024 * 1024 + 1)), 413, "8388608 bytes");
    assertRefused(admin.post("/v1/rules"), 405, "GET, HEAD, OPTIONS, PUT");
    assertRefused(admin.post("/v1/rules/users"), 405, "DELETE, GET, HEAD, OPTIONS, PUT");
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/rules?serch=a,serch", "/v1/rules?limit=0,limit", "/v1/rules?limit=x,limit",
    "/v1/rules?limit=1&limit=2,limit", "/v1/rules?after=nobody,after",
        "/v1/rules?search=%C3,search",
    "/v1/rules?in-force=yes,in-force", "/v1/rules/users?x=1,x"
  })
  void invalidParameterIsRejected(String path, String field) {
    assertRefused(admin.get(path), 400, "\"field\":\"" + field + "\"");
  }

  @Test
  void misspelledDryRunChangesNothing() {
    assertRefused(admin.delete("/v1/rules/users?dryrun=true"), 400, "\"field\":\"dryrun\"");
    assertRefused(admin.delete("/v1/rules/users?dry-run=1"), 400, "true or false");
  }

  @Test
  void authorAndMessageAreStored() {
    admin.delete(
        "/v1/rules/users", "X-Headgate-Author: J%C3%B6rg", "X-Headgate-Message: 100%25 sure");
    var revision = service.repository.inForce().revision();
    assertThat(revision.changeInfo().author()).isEqualTo("Jörg");
    assertThat(revision.changeInfo().message()).isEqualTo("100% sure");
    admin.put("/v1/rules?author=me&message=all+of+it", "[]");
    assertThat(service.repository.inForce().revision().changeInfo().message())
        .isEqualTo("all of it");
    assertThat(service.repository.inForce().revision().changeInfo().author()).isEqualTo("me");
  }

  @Test
  void invalidAuthorOrMessageIsRejected() {
    String path = "/v1/rules/users";
    assertRefused(
        admin.delete(path, "X-Headgate-Author: " + "x".repeat(101)), 400, "at most 100 characters");
    assertRefused(
        admin.delete(path, "X-Headgate-Message: " + "x".repeat(501)),
        400,
        "at most 500 characters");
    assertRefused(admin.delete(path, "X-Headgate-Author:"), 400, "must not be empty");
    assertRefused(admin.delete(path, "X-Headgate-Author: J\u00f6rg"), 400, "percent-encoded");
  }
}
