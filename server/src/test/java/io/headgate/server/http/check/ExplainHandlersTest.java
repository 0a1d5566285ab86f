package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.http.RunningService;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExplainHandlersTest {
  private static final Rule PER_USER =
      Rule.named("per-user")
          .match("key", "user:*")
          .limit(FixedWindow.of(Rate.perMinute(10)))
          .override("key", "user:42", FixedWindow.of(Rate.perMinute(20)))
          .build();
  private static final Rule LOGIN =
      Rule.named("login")
          .match("path", "/login")
          .match("key", "*")
          .mode(Mode.SHADOW)
          .limit(FixedWindow.of(Rate.perMinute(5)))
          .build();
  private static final Rule OTHERS =
      Rule.named("others").fallback().limit(FixedWindow.of(Rate.perMinute(1))).build();

  private RunningService service;

  @BeforeEach
  void start() {
    service = RunningService.with(PER_USER, LOGIN, OTHERS);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void explainReportsRulesOverridesAndRemainingPermits() {
    service.post("/v1/check", "{\"key\":\"user:42\",\"cost\":3}");
    var answer = service.post("/v1/explain", "{\"key\":\"user:42\"}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body())
        .isEqualTo(
            """
            {"subject":{"key":"user:42"},"rules":[\
            {"id":"per-user","applies":true,"reason":"applies, with override 1","mode":"enforce",\
            "override":1,"remaining":17,"conditions":[\
            {"attribute":"key","pattern":"user:*","value":"user:42","met":true}],"limits":[{"rule":"per-user","name":"per-user",\
            "algorithm":"fixed-window","limit":20,"remaining":17,"resetAfterMs":60000,"per":["key"],"key":"user:42"}]}],\
            "notApplying":2,"nearMisses":[\
            {"id":"login","applies":false,"reason":"path is (absent), not /login",\
            "mode":"shadow","override":null,"remaining":null,"conditions":[\
            {"attribute":"path","pattern":"/login","value":"(absent)","met":false},\
            {"attribute":"key","pattern":"*","value":"user:42","met":true}],"limits":[]},\
            {"id":"others","applies":false,"reason":"is a fallback, and another rule applies",\
            "mode":"enforce","override":null,"remaining":null,"conditions":[],"limits":[]}]}\
            """);
  }

  @Test
  void explainListsUnusedCosts() {
    assertThat(service.post("/v1/explain", "{\"key\":\"user:1\",\"costs\":{\"token\":5}}").body())
        .startsWith("{\"subject\":{\"key\":\"user:1\"},\"unusedCosts\":[\"token\"],\"rules\":[");
    var strict =
        service.post("/v1/explain?strict=true", "{\"key\":\"user:1\",\"costs\":{\"token\":5}}");
    assertThat(strict.status()).isEqualTo(400);
  }

  @Test
  void explainChargesNothing() {
    String before = service.post("/v1/explain", "{\"key\":\"user:1\"}").body();
    assertThat(service.post("/v1/explain", "{\"key\":\"user:1\"}").body()).isEqualTo(before);
    assertThat(before).contains("\"remaining\":10,");
  }

  @Test
  void nearestTwentyMissesAreReported() {
    var rules =
        IntStream.range(0, 50)
            .mapToObj(i ->
                Rule.named("r" + i)
                    .match("path", "/p" + i)
                    .match("key", i % 2 == 0 ? "user:*" : "bot:*")
                    .limit(FixedWindow.of(Rate.perMinute(1)))
                    .build())
            .toList();
    service.limiter.replaceRules(RuleSet.of(rules));
    var answer = service.post("/v1/explain", "{\"key\":\"user:42\"}");
    var ids = answer.body().replaceAll("\"id\":\"r(\\d+)\"|.", "$1 ").strip().split(" +", -1);
    assertThat(ids).hasSize(20).allMatch(id -> Integer.parseInt(id) % 2 == 0);
    assertThat(answer.body()).contains("\"notApplying\":50,");
  }

  @Test
  void resetClearsTheCountersOfOneRule() {
    service.post("/v1/check", "{\"key\":\"user:7\",\"cost\":10}");
    var answer = service.post("/v1/reset", "{\"key\":\"user:7\",\"rule\":\"per-user\"}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{\"reset\":true,\"rule\":\"per-user\"}");
    assertThat(service.post("/v1/check", "{\"key\":\"user:7\",\"cost\":10}").status())
        .isEqualTo(200);
  }

  @Test
  void resetOfAnUnknownRuleListsExistingRules() {
    var answer = service.post("/v1/reset", "{\"key\":\"user:7\",\"rule\":\"per-usr\"}");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.body())
        .contains("\"field\":\"rule\"")
        .contains("there is no rule 'per-usr'; existing rules: per-user, login, others");
  }

  @Test
  void resetOfARuleThatDoesNotApplyPointsToExplain() {
    var answer = service.post("/v1/reset", "{\"key\":\"bot:7\",\"rule\":\"per-user\"}");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.body())
        .contains("does not apply to this subject; POST /v1/explain explains why");
  }
}
