package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MetricsTest {
  private final RunningService service =
      RunningService.with(
          rule("users", "user:*", 2).build(),
          rule("trial", "*", 1).mode(Mode.SHADOW).build(),
          Rule.named("line")
              .match("key", "line")
              .limit(LeakyBucket.of(Rate.perSecond(1)).withQueue(9))
              .build());

  private static Rule.Builder rule(String id, String keys, long rate) {
    return Rule.named(id).match("key", keys).limit(FixedWindow.of(Rate.perHour(rate)));
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private void check(String key) {
    service.post("/v1/check", "{\"key\":\"%s\"}".formatted(key));
  }

  @Test
  void decisionsAreCountedByRuleOutcomeAndSource() {
    check("user:1");
    service.post("/v1/check/batch", "{\"checks\":[{\"key\":\"user:1\"},{\"key\":\"user:1\"}]}");
    service.post("/api/ratelimit/check", "{\"key\":\"user:2\",\"tokens\":1}");
    service.post("/v1/slots", "{\"key\":\"user:2\"}");
    service.request("GET", "/v1/gate", "X-Headgate-Key: user:2");
    service.post("/v1/check", "{\"key\":\"user:3\",\"cost\":3}");
    check("line");
    check("line");
    check("nobody");
    var series = Series.of(service);
    assertThat(series.decisions("users", "allowed", "store")).isEqualTo(4);
    assertThat(series.decisions("users", "denied", "store")).isEqualTo(2);
    assertThat(series.decisions("users", "impossible", "store")).isEqualTo(1);
    assertThat(series.decisions("line", "allowed", "store")).isEqualTo(1);
    assertThat(series.decisions("line", "delayed", "store")).isEqualTo(1);
    assertThat(series.decisions("(none)", "allowed", "store")).isEqualTo(1);
    assertThat(series.value("headgate_check_seconds_count")).isEqualTo(10);
    assertThat(series.value("headgate_check_seconds_bucket{le=\"+Inf\"}")).isEqualTo(10);
    assertThat(series.value("headgate_check_seconds_sum")).isPositive();
  }

  @Test
  void requestsWithUnusedCostsAreCountedByTheRulesThatMatch() {
    service.post("/v1/check", "{\"key\":\"user:1\",\"costs\":{\"token\":9}}");
    service.post("/v1/usage?strict=true", "{\"key\":\"user:2\",\"costs\":{\"token\":9}}");
    service.post("/v1/check", "{\"subject\":{\"no\":\"rule\"},\"costs\":{\"token\":9}}");
    var series = Series.of(service);
    assertThat(series.value("headgate_unused_costs_total{rule=\"users\"}")).isEqualTo(2);
    assertThat(series.value("headgate_unused_costs_total{rule=\"(none)\"}")).isEqualTo(1);
    assertThat(series.values().keySet()).noneMatch(name -> name.contains("token"));
  }

  @Test
  void peeksAndExplanationsAreNotCounted() {
    service.post("/v1/peek", "{\"key\":\"user:1\"}");
    service.post("/v1/explain", "{\"key\":\"user:1\"}");
    service.post("/v1/check", "{\"key\":\"user:1\",\"cost\":-1}");
    var series = Series.of(service);
    assertThat(series.value("headgate_check_seconds_count")).isZero();
    assertThat(series.value("headgate_unmatched_checks_total")).isZero();
    assertThat(series.values().keySet()).noneMatch(name -> name.startsWith("headgate_decisions"));
  }

  @Test
  void shadowDenialsAreCountedSeparatelyAndDecideNothing() {
    for (int i = 0; i < 3; i++) check("other");
    var series = Series.of(service);
    assertThat(series.value("headgate_shadow_denials_total{rule=\"trial\"}")).isEqualTo(2);
    assertThat(series.decisions("(none)", "allowed", "store")).isEqualTo(3);
    assertThat(series.value("headgate_unmatched_checks_total")).isEqualTo(3);
  }

  @Test
  void adaptiveLimitWithOneCounterIsAGaugeUntilItsRuleIsDeleted() {
    var slots = AdaptiveConcurrency.between(1, 50).withInitial(7);
    try (var admin = new Admin(service.port())) {
      admin.put(
          "/v1/rules/backend", RuleFile.json(Rule.named("backend").per().limit(slots).build()));
      admin.put(
          "/v1/rules/each",
          RuleFile.json(Rule.named("each").match("key", "*").limit(slots).build()));
      String series = "headgate_adaptive_limit{limit=\"backend\",rule=\"backend\"}";
      assertThat(Series.of(service).values()).doesNotContainKey(series);
      check("user:1");
      assertThat(Series.of(service).value(series)).isEqualTo(7);
      assertThat(Series.of(service).values().keySet())
          .as("callers are never a label")
          .noneMatch(name -> name.startsWith("headgate_adaptive_limit{limit=\"each\""));
      admin.delete("/v1/rules/backend");
      assertThat(Series.of(service).values()).doesNotContainKey(series);
    }
  }

  @Test
  void gaugesReportTheStateOfTheService() {
    check("user:1");
    try (var admin = new Admin(service.port())) {
      admin.put("/v1/rules/users", RuleFile.json(rule("users", "user:*", 7).build()));
    }
    var series = Series.of(service);
    assertThat(series.value("headgate_rules_revision")).isEqualTo(2);
    assertThat(series.value("headgate_rules")).isEqualTo(3);
    assertThat(series.value("headgate_tracked_keys")).isEqualTo(2);
    assertThat(series.value("headgate_breaker_state")).isZero();
    assertThat(series.value("headgate_instances")).isEqualTo(1);
    assertThat(series.value("headgate_connections")).isPositive();
    assertThat(series.values().keySet())
        .anyMatch(name -> name.startsWith("headgate_build_info{"))
        .anyMatch(name -> name.startsWith("jvm_memory_used_bytes{"));
    assertThat(series.values())
        .containsKeys(
            "headgate_store_seconds_count",
            "headgate_store_errors_total{kind=\"timeout\"}",
            "process_uptime_seconds");
  }

  @Test
  void callersCreateNoSeries() {
    check("user:0");
    check("other");
    int before = Series.of(service).values().size();
    try (var connection = service.connect()) {
      for (int batch = 0; batch < 20; batch++) {
        int from = batch * 1_000;
        var checks =
            IntStream.range(from, from + 1_000)
                .mapToObj(i -> "{\"key\":\"user:%d\"}".formatted(i))
                .collect(Collectors.joining(","));
        connection.post("/v1/check/batch", "{\"checks\":[" + checks + "]}");
      }
    }
    var after = Series.of(service);
    assertThat(after.decisions("users", "allowed", "store")).isEqualTo(20_001);
    // The JVM may have added series for a memory pool or a GC cause.
    assertThat(after.values().size()).isLessThan(before + 20);
  }

  @Test
  void seriesOfADeletedRuleAreRemoved() {
    check("user:1");
    assertThat(Series.of(service).decisions("users", "allowed", "store")).isEqualTo(1);
    try (var admin = new Admin(service.port())) {
      admin.delete("/v1/rules/users");
      check("user:1");
      var removed = Series.of(service);
      assertThat(removed.values().keySet()).noneMatch(name -> name.contains("\"users\""));
      assertThat(removed.decisions("(none)", "allowed", "store")).isEqualTo(1);
      admin.post("/v1/revisions/1/restore");
    }
    check("user:1");
    assertThat(Series.of(service).decisions("users", "allowed", "store")).isEqualTo(1);
  }

  @Test
  void rulesBeyondTheLimitShareOneSeries() {
    var rules = new StringBuilder();
    for (int i = 0; i < 1_010; i++) {
      rules.append(i == 0 ? "" : ",").append(RuleFile.json(rule("r" + i, "k" + i, 9).build()));
    }
    try (var admin = new Admin(service.port())) {
      admin.put("/v1/rules", "{\"rules\":[" + rules + "]}");
    }
    for (int from = 0; from < 1_010; from += 505) {
      var checks =
          IntStream.range(from, from + 505)
              .mapToObj(i -> "{\"key\":\"k%d\"}".formatted(i))
              .collect(Collectors.joining(","));
      service.post("/v1/check/batch", "{\"checks\":[" + checks + "]}");
    }
    var series = Series.of(service);
    assertThat(series.decisions("r0", "allowed", "store")).isEqualTo(1);
    assertThat(series.decisions("(other)", "allowed", "store")).isEqualTo(10);
    assertThat(series.values().keySet())
        .filteredOn(name -> name.startsWith("headgate_decisions_total"))
        .hasSize(2 * 1_000 + 1);
  }

  @Test
  void openMetricsFormatIsNegotiated() {
    check("user:1");
    var plain = service.request("GET", "/metrics");
    assertThat(plain.mediaType()).startsWith("text/plain;");
    assertThat(plain.body()).contains("# TYPE headgate_decisions_total counter");
    var open =
        service.request(
            "GET",
            "/metrics",
            "Accept: application/openmetrics-text;version=1.0.0;q=0.6,text/plain;q=0.2");
    assertThat(open.mediaType()).startsWith("application/openmetrics-text;");
    assertThat(open.body()).contains("# TYPE headgate_decisions counter").endsWith("# EOF\n");
  }

  @Test
  void metricsRequireReadAccess() {
    try (var guarded = RunningService.withTokens("adm1n", "ch3ck")) {
      assertThat(guarded.request("GET", "/metrics").status()).isEqualTo(401);
      assertThat(guarded.request("GET", "/metrics", "Authorization: Bearer ch3ck").status())
          .isEqualTo(403);
      assertThat(guarded.request("GET", "/metrics", "Authorization: Bearer adm1n").status())
          .isEqualTo(200);
    }
  }
}
