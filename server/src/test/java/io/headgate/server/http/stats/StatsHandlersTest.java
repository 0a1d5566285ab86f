package io.headgate.server.http.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.TokenSet;
import io.headgate.server.http.Admin;
import io.headgate.server.http.RunningService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StatsHandlersTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Rule USERS =
      Rule.named("users").match("key", "user:*").limit(FixedWindow.of(Rate.perHour(3))).build();
  private static final Rule TRIED =
      Rule.named("tried")
          .match("key", "user:*")
          .mode(Mode.SHADOW)
          .limit(FixedWindow.of(Rate.perHour(1)))
          .build();
  private static final Rule PATHS =
      Rule.named("paths").match("path", "*").limit(FixedWindow.of(Rate.perHour(100))).build();

  private final RunningService service = RunningService.with(USERS, TRIED, PATHS);

  @AfterEach
  void stop() {
    service.close();
  }

  private JsonNode get(String path) {
    var answer = service.request("GET", path);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return read(answer.body());
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void check(String body, int times) {
    for (int i = 0; i < times; i++) service.post("/v1/check", body);
  }

  private JsonNode statsOnce(long checks) {
    await()
        .atMost(TIMEOUT)
        .until(() -> {
          var totals = get("/v1/stats").get("totals");
          return totals.get("allowed").asLong() + totals.get("denied").asLong() == checks;
        });
    return get("/v1/stats");
  }

  @Test
  void statsReportDecisionsByRule() {
    check("{\"key\":\"user:42\"}", 5);
    check("{\"subject\":{\"path\":\"/a\",\"ip\":\"192.0.2.1\"}}", 2);
    var stats = statsOnce(7);
    assertThat(stats.at("/totals/allowed").asInt()).isEqualTo(5);
    assertThat(stats.at("/totals/denied").asInt()).isEqualTo(2);
    assertThat(stats.at("/totals/shadowDenied").asInt()).isEqualTo(2);
    assertThat(stats.at("/totals/degraded").asInt()).isZero();
    assertThat(stats.at("/rates/allowed").asDouble()).isPositive();
    assertThat(stats.at("/latency/check/p99").asDouble()).isPositive();
    assertThat(stats.at("/series/allowed")).hasSize(300);
    assertThat(sum(stats.at("/series/denied"))).isEqualTo(2);
    assertThat(stats.get("byRule").findValuesAsText("rule"))
        .containsExactlyInAnyOrder("users", "tried", "paths");
    assertThat(stats.at("/store/kind").asText()).isEqualTo("memory");
    assertThat(stats.at("/rules/count").asInt()).isEqualTo(3);
    assertThat(stats.get("instances").asInt()).isEqualTo(1);
  }

  @Test
  void historyHasTheDecisionsOfEachRange() {
    check("{\"key\":\"user:42\"}", 5);
    check("{\"key\":\"somebody\"}", 2);
    statsOnce(7);
    int buckets = 300;
    for (var range : List.of("5m", "1h", "24h")) {
      var history = get("/v1/stats/history?range=" + range);
      assertThat(history.get("range").asText()).isEqualTo(range);
      assertThat(history.get("rule").isNull()).isTrue();
      assertThat(history.get("allowed")).as(range).hasSize(buckets);
      assertThat(sum(history.get("allowed"))).isEqualTo(5);
      assertThat(sum(history.get("denied"))).isEqualTo(2);
      assertThat(sum(history.get("shadowDenied"))).isEqualTo(2);
      assertThat(sum(history.get("unmatched"))).isEqualTo(2);
      long step = history.get("stepMs").asLong();
      assertThat(history.get("from").asLong() % step).isZero();
      assertThat(
              history.get("from").asLong() + step * (buckets - 1) + history.get("lastMs").asLong())
          .isEqualTo(history.get("now").asLong());
      var rule = get("/v1/stats/history?rule=users&range=" + range);
      assertThat(sum(rule.get("denied"))).isEqualTo(2);
      assertThat(rule.get("tracked").asBoolean()).isTrue();
      assertThat(rule.has("unmatched")).isFalse();
      assertThat(sum(get("/v1/stats/history?rule=(other)&range=" + range).get("allowed"))).isZero();
      buckets = range.equals("5m") ? 360 : 1_440;
    }
    assertThat(get("/v1/stats").at("/totals/unmatched").asInt()).isEqualTo(2);
    assertThat(get("/v1/stats/history").get("stepMs").asInt()).isEqualTo(1_000);
    assertThat(service.request("GET", "/v1/stats/history?range=1d").body())
        .contains("range must be 5m, 1h or 24h, got '1d'");
    assertThat(service.request("GET", "/v1/stats/history?rule=none").status()).isEqualTo(404);
  }

  @Test
  void rulesAreListedWithTheirLastMinuteDenialAndChange() {
    check("{\"key\":\"user:42\"}", 5);
    statsOnce(5);
    var list = get("/v1/stats/rules");
    assertThat(list.get("revision").asInt()).isEqualTo(1);
    assertThat(list.get("rules").findValuesAsText("rule"))
        .containsExactly("users", "tried", "paths");
    var users = list.at("/rules/0");
    assertThat(users.get("mode").asText()).isEqualTo("enforce");
    assertThat(users.at("/lastMinute/allowed").asInt()).isEqualTo(3);
    assertThat(users.at("/lastMinute/denied").asInt()).isEqualTo(2);
    assertThat(users.get("lastDenied").asLong()).isBetween(0L, list.get("now").asLong());
    assertThat(users.get("changedIn").asInt()).isEqualTo(1);
    assertThat(users.get("changedAt").asLong()).isPositive();
    assertThat(list.at("/rules/1/mode").asText()).isEqualTo("shadow");
    assertThat(list.at("/rules/1/lastMinute/shadowDenied").asInt()).isEqualTo(2);
    assertThat(list.at("/rules/2/lastDenied").isNull()).isTrue();
    assertThat(list.at("/other/denied").asInt()).isZero();
  }

  @Test
  void ruleIsShownWithItsCallersAndDenialsUntilItsStatisticsExpire() {
    check("{\"key\":\"user:42\"}", 5);
    check("{\"key\":\"user:7\"}", 1);
    statsOnce(6);
    var users = get("/v1/stats/rules/users");
    assertThat(users.get("inForce").asBoolean()).isTrue();
    assertThat(users.get("onStoreFailure").asText()).isEqualTo("local");
    for (var range : List.of("lastMinute", "lastHour", "lastDay")) {
      assertThat(users.get(range).get("allowed").asInt()).as(range).isEqualTo(4);
      assertThat(users.get(range).get("denied").asInt()).as(range).isEqualTo(2);
    }
    assertThat(users.at("/callers/busiest").findValuesAsText("caller"))
        .containsExactly("user:42", "user:7");
    assertThat(users.at("/callers/denied/0/denials").asInt()).isEqualTo(2);
    assertThat(users.at("/denials/0/caller").asText()).isEqualTo("user:42");
    assertThat(users.at("/denials/0/count").asInt()).isEqualTo(2);
    assertThat(users.at("/denials/0/limit").asText()).isEqualTo("users");
    assertThat(users.at("/denials/0/retryAfterMs").asLong()).isPositive();
    try (var admin = new Admin(service.port())) {
      admin.delete("/v1/rules/users");
    }
    var deleted = get("/v1/stats/rules/users");
    assertThat(deleted.get("inForce").asBoolean()).isFalse();
    assertThat(deleted.get("mode").isNull()).isTrue();
    assertThat(deleted.get("changedAt").isNull()).isTrue();
    assertThat(deleted.at("/lastHour/denied").asInt()).isEqualTo(2);
    assertThat(service.request("GET", "/v1/stats/rules/none").status()).isEqualTo(404);
  }

  private static int sum(JsonNode list) {
    int sum = 0;
    for (var count : list) sum += count.asInt();
    return sum;
  }

  @Test
  void callersAreListedWithTheirSubjects() {
    check("{\"key\":\"user:42\"}", 5);
    check("{\"key\":\"user:7\"}", 1);
    check("{\"subject\":{\"path\":\"/a\",\"ip\":\"2001:db8::1\"}}", 1);
    check("{\"subject\":{\"path\":\"/a\",\"ip\":\"2001:db8::2\"}}", 1);
    statsOnce(8);
    var all = get("/v1/callers");
    assertThat(all.get("callers").findValuesAsText("caller"))
        .startsWith("user:42")
        .containsExactlyInAnyOrder("user:42", "user:7", "ip=2001:db8:0:0::/64");
    assertThat(all.get("tracked").asInt()).isEqualTo(3);
    var first = all.at("/callers/0");
    assertThat(first.get("allowed").asInt()).isEqualTo(3);
    assertThat(first.get("denied").asInt()).isEqualTo(2);
    assertThat(first.at("/subject/key").asText()).isEqualTo("user:42");
    assertThat(first.get("rules").toString()).isEqualTo("[\"users\"]");
    assertThat(first.get("error").asInt()).isZero();
    assertThat(get("/v1/callers?search=ER:7").get("callers").findValuesAsText("caller"))
        .containsExactly("user:7");
    assertThat(get("/v1/callers?rule=paths").get("callers").findValuesAsText("caller"))
        .containsExactly("ip=2001:db8:0:0::/64");
    assertThat(get("/v1/callers?sort=allowed&limit=1").get("callers")).hasSize(1);
    var one = get("/v1/callers/user%3A42");
    assertThat(sum(one.at("/series/allowed"))).isEqualTo(3);
    assertThat(sum(one.at("/series/denied"))).isEqualTo(2);
  }

  @Test
  void peeksAndExplanationsAreNotCounted() {
    service.post("/v1/peek", "{\"key\":\"user:42\"}");
    service.post("/v1/explain", "{\"key\":\"user:42\"}");
    check("{\"key\":\"user:7\"}", 1);
    statsOnce(1);
    assertThat(get("/v1/callers").get("callers").findValuesAsText("caller"))
        .containsExactly("user:7");
  }

  @Test
  void callersRequireReadAccessAndWhoamiIsPublic() {
    var tokens =
        TokenSet.NONE.withAdmin("boss", "chief").withRead("look", "").withCheck("ask", "gateway");
    try (var guarded = RunningService.withAccess(new AccessControl(tokens), USERS)) {
      for (var path :
          List.of(
              "stats",
              "stats/history",
              "stats/rules",
              "stats/rules/users",
              "stream",
              "callers",
              "callers/user%3A42",
              "revisions?rule=users")) {
        assertThat(guarded.request("GET", "/v1/" + path).status()).as(path).isEqualTo(401);
        assertThat(guarded.request("GET", "/v1/" + path, "Authorization: Bearer ask").status())
            .as(path)
            .isEqualTo(403);
      }
      String read = "Authorization: Bearer look";
      assertThat(guarded.request("GET", "/v1/callers", read).status()).isEqualTo(200);
      assertThat(guarded.request("GET", "/v1/whoami").body())
          .isEqualTo("{\"role\":\"none\",\"guarded\":true,\"name\":null}");
      assertThat(guarded.request("GET", "/v1/whoami", read).body())
          .isEqualTo("{\"role\":\"read\",\"guarded\":true,\"name\":null}");
      assertThat(guarded.request("GET", "/v1/whoami", "Authorization: Bearer boss").body())
          .isEqualTo("{\"role\":\"admin\",\"guarded\":true,\"name\":\"chief\"}");
      assertThat(guarded.request("GET", "/v1/whoami", "Authorization: Bearer no").body())
          .contains("\"none\"");
    }
    assertThat(service.request("GET", "/v1/whoami").body())
        .isEqualTo("{\"role\":\"admin\",\"guarded\":false,\"name\":null}");
  }
}
