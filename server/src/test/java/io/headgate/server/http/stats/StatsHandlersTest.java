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
import io.headgate.server.http.RunningService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
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
      for (var path : new String[] {"stats", "stream", "callers", "callers/user%3A42"}) {
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
