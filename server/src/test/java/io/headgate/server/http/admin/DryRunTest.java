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

class DryRunTest {
  private final RunningService service = RunningService.with(rule("users", 10), rule("jobs", 5));
  private final Admin admin = new Admin(service.port());

  private static Rule rule(String id, long rate) {
    return Rule.named(id).match("key", id + ":*").limit(FixedWindow.of(Rate.perHour(rate))).build();
  }

  @AfterEach
  void stop() {
    assertThat(service.repository.inForce().number()).as("a dry run changes nothing").isEqualTo(1);
    assertThat(service.limiter.rules().rules()).containsExactly(rule("users", 10), rule("jobs", 5));
    admin.close();
    service.close();
  }

  @Test
  void dryRunReportsTheDiffAndTheAffectedCallers() {
    service.post("/v1/check", "{\"key\":\"users:1\"}");
    service.post("/v1/check", "{\"key\":\"users:1\"}");
    service.post("/v1/check", "{\"key\":\"jobs:1\"}");
    service.post("/v1/check/batch", "{\"checks\":[{\"key\":\"users:2\"},{\"key\":\"other\"}]}");
    var answer = admin.put("/v1/rules/users?dry-run=true", RuleFile.json(rule("users", 20)));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("ETag")).isEqualTo("\"1\"");
    assertThat(answer.body())
        .startsWith("{\"dryRun\":true,\"changed\":true,\"revision\":{\"number\":1,")
        .contains("\"before\":\"10/1h\",\"after\":\"20/1h\"")
        .contains(
            "\"callers\":{\"sampled\":4,\"affected\":2,\"note\":\"a sample: at most 1000 callers")
        .contains(
            "{\"subject\":{\"key\":\"users:1\"},\"rules\":[{\"id\":\"users\",\"change\":\"changed\",")
        .contains("{\"key\":\"users:2\"}")
        .doesNotContain("{\"key\":\"jobs:1\"}", "{\"key\":\"other\"}");
  }

  @Test
  void everyChangeSupportsDryRun() {
    service.post("/v1/check", "{\"key\":\"jobs:1\"}");
    assertThat(admin.put("/v1/rules?dry-run=true", "[]").body())
        .contains("\"removed\":2,", "\"affected\":1,", "\"change\":\"removed\"");
    assertThat(admin.delete("/v1/rules/users?dry-run=true").body())
        .contains("\"removed\":1,", "\"affected\":0,");
    assertThat(admin.post("/v1/revisions/1/restore?dry-run=true").body())
        .contains("\"changed\":false", "\"changes\":[]");
    var created = "{\"id\":\"x\",\"limit\":{\"algorithm\":\"concurrency\",\"max\":1}}";
    var answer = admin.put("/v1/rules/x?dry-run=true", created);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).contains("\"added\":1,", "\"affected\":1,");
  }

  @Test
  void invalidChangeIsRejectedAsWithoutDryRun() {
    assertThat(admin.put("/v1/rules?dry-run=true", "[{}]").status()).isEqualTo(400);
    assertThat(admin.delete("/v1/rules/nobody?dry-run=true").status()).isEqualTo(404);
  }
}
