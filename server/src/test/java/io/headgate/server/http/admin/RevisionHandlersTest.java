package io.headgate.server.http.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.http.Admin;
import io.headgate.server.http.RunningService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RevisionHandlersTest {
  private final RunningService service = RunningService.with(rule("users", 10));
  private final Admin admin = new Admin(service.port());

  private static Rule rule(String id, long rate) {
    return Rule.named(id).match("key", id + ":*").limit(FixedWindow.of(Rate.perHour(rate))).build();
  }

  private void change(int rate) {
    admin.put("/v1/rules/users?message=to+" + rate, RuleFile.json(rule("users", rate)));
  }

  @AfterEach
  void stop() {
    admin.close();
    service.close();
  }

  @Test
  void historyIsPagedWithTheNewestFirst() {
    for (int rate = 11; rate <= 14; rate++) change(rate);
    var all = admin.get("/v1/revisions");
    assertThat(all.status()).isEqualTo(200);
    assertThat(all.body())
        .startsWith("{\"revisions\":[{\"number\":5,\"at\":\"")
        .doesNotContain("\"next\"");
    var page = admin.get("/v1/revisions?limit=2");
    assertThat(page.body())
        .contains("\"message\":\"to 14\"", "\"message\":\"to 13\"", "\"next\":4")
        .doesNotContain("to 12");
    var next = admin.get("/v1/revisions?limit=2&before=4");
    assertThat(next.body()).contains("\"number\":3", "\"number\":2", "\"next\":2");
    assertThat(admin.get("/v1/revisions?limit=2&before=2").body())
        .contains("\"number\":1")
        .doesNotContain("\"next\"");
    assertThat(admin.get("/v1/revisions?limit=1001").status()).isEqualTo(400);
    assertThat(admin.get("/v1/revisions?before=x").status()).isEqualTo(400);
    assertThat(admin.put("/v1/revisions", "").status()).isEqualTo(405);
  }

  @Test
  void historyOfARuleHasTheChangeOfEachRevision() {
    change(20);
    admin.put("/v1/rules/other", RuleFile.json(rule("other", 1)));
    admin.delete("/v1/rules/users");
    var history = admin.get("/v1/revisions?rule=users");
    assertThat(history.body())
        .startsWith("{\"revisions\":[{\"number\":4,")
        .contains(
            "\"change\":\"removed\"",
            "\"message\":\"to 20\"",
            "\"change\":\"changed\",\"fields\":[{\"field\":\"limit.rate\",\"before\":\"10/1h\",\"after\":\"20/1h\"}]",
            "\"change\":\"added\"")
        .doesNotContain("\"number\":3", "\"next\"");
    assertThat(admin.get("/v1/revisions?rule=users&limit=2").body())
        .contains("\"number\":2", "\"next\":2")
        .doesNotContain("\"number\":1");
    assertThat(admin.get("/v1/revisions?rule=users&limit=2&before=2").body())
        .contains("\"number\":1")
        .doesNotContain("\"next\"");
    assertThat(admin.get("/v1/revisions?rule=none").body()).isEqualTo("{\"revisions\":[]}");
  }

  @Test
  void revisionIsShownWithItsDiffAndOptionallyItsRules() {
    change(20);
    change(30);
    var shown = admin.get("/v1/revisions/2");
    assertThat(shown.header("ETag")).isEqualTo("\"2\"");
    assertThat(shown.body())
        .startsWith("{\"revision\":{\"number\":2,")
        .contains("{\"field\":\"limit.rate\",\"before\":\"10/1h\",\"after\":\"20/1h\"}")
        .doesNotContain("\"rules\":[");
    assertThat(admin.get("/v1/revisions/2?rules=true").body())
        .contains("\"rules\":[{\"id\":\"users\"", "\"rate\":\"20/1h\"");
    assertThat(admin.get("/v1/revisions/3?against=1").body())
        .contains("\"before\":\"10/1h\",\"after\":\"30/1h\"");
    assertThat(admin.get("/v1/revisions/1").body())
        .contains("\"added\":1,", "\"change\":\"added\"");
    var yaml = admin.get("/v1/revisions/2", "Accept: application/yaml");
    assertThat(RuleFile.read(yaml.body())).containsExactly(rule("users", 20));
  }

  @Test
  void oldRevisionIsRestoredAsANewOne() {
    change(20);
    assertThat(service.post("/v1/peek", "{\"key\":\"users:1\"}").body()).contains("\"limit\":20");
    var restored = admin.post("/v1/revisions/1/restore?message=back", "If-Match: \"2\"");
    assertThat(restored.status()).isEqualTo(200);
    assertThat(restored.header("ETag")).isEqualTo("\"3\"");
    assertThat(restored.body())
        .contains("\"number\":3,", "\"message\":\"back\",\"restored\":1,")
        .contains("\"before\":\"20/1h\",\"after\":\"10/1h\"");
    assertThat(service.post("/v1/peek", "{\"key\":\"users:1\"}").body()).contains("\"limit\":10");
    var again = admin.post("/v1/revisions/1/restore");
    assertThat(again.body()).contains("\"changed\":false", "\"changes\":[]");
    assertThat(service.repository.inForce().number()).isEqualTo(3);
  }

  @Test
  void unknownRevisionIsNotFound() {
    for (var path :
        new String[] {"/v1/revisions/2", "/v1/revisions/0", "/v1/revisions/1?against=9"}) {
      var answer = admin.get(path);
      assertThat(answer.status()).as(path).isEqualTo(404);
      assertThat(answer.body()).contains("there are 1 to 1");
    }
    assertThat(admin.post("/v1/revisions/7/restore").status()).isEqualTo(404);
    assertThat(admin.post("/v1/revisions/7/restore?dry-run=true").status()).isEqualTo(404);
    assertThat(admin.get("/v1/revisions/one").status()).isEqualTo(400);
    assertThat(admin.get("/v1/revisions/-1").status()).isEqualTo(400);
    assertThat(admin.get("/v1/revisions/1/restore").status()).isEqualTo(405);
    assertThat(admin.get("/v1/revisions/1/").status()).isEqualTo(404);
    assertThat(admin.post("/v1/revisions/1/undo").status()).isEqualTo(404);
    assertThat(admin.post("/v1/revisions//restore").status()).isEqualTo(404);
  }
}
