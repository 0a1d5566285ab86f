package io.headgate.server.http.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.TokenSet;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.callers.CallerNaming;
import io.headgate.server.http.LogCapture;
import io.headgate.server.http.RunningService;
import io.headgate.server.stats.StatsSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests every response and log line that names callers, with {@code --mask-callers}. */
class MaskedCallersTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SECRET = "s3cr3t-k3y-4711";
  private static final String CALLER = "api-key=" + SECRET;
  private static final String ADMIN = "Authorization: Bearer boss";
  private static final String READ = "Authorization: Bearer look";
  private static final String CHECK = "Authorization: Bearer ask";
  private static final CallerMask MASK =
      CallerMask.of(new byte[] {4, 2}, CallerNaming.DEFAULT_ATTRIBUTES);
  private static final String MASKED = MASK.name(CALLER);
  private static final Rule KEYS =
      Rule.named("keys").match("api-key", "*").limit(FixedWindow.of(Rate.perHour(3))).build();
  private static final String WHAT_IF =
      """
      {"rules":"{id: keys, match: {api-key: '*'}, limit: {algorithm: fixed-window, rate: 1/1h}}",
      "replace":"keys","source":{"kind":"recent"}}\
      """;

  private static RunningService service;

  @BeforeAll
  static void start() {
    var access =
        new AccessControl(
            TokenSet.NONE.withAdmin("boss", "").withRead("look", "").withCheck("ask", ""));
    var stats = new StatsSettings(CallerNaming.DEFAULT_ATTRIBUTES, Optional.empty(), MASK);
    service = RunningService.withStats(access, stats, KEYS);
    for (int i = 0; i < 5; i++) {
      service.post(
          "/v1/check",
          "{\"subject\":{\"api-key\":\"%s\",\"session\":\"%s\"}}".formatted(SECRET, SECRET),
          CHECK);
    }
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> read("/v1/stats", ADMIN).at("/totals/denied").asInt() == 2);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static JsonNode read(String path, String token) {
    var answer = service.request("GET", path, token);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String caller(String name) {
    return "/v1/callers/" + URLEncoder.encode(name, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/stats",
        "/v1/stats/history",
        "/v1/stats/history?rule=keys",
        "/v1/stats/rules",
        "/v1/stats/rules/keys",
        "/v1/callers",
        "/v1/callers?sort=rate",
        "/v1/revisions?rule=keys",
        "/v1/rules",
        "/metrics"
      })
  void readTokenSeesNoWholeNameAndCheckTokenSeesNothing(String path) {
    var answer = service.request("GET", path, READ);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).doesNotContain(SECRET);
    assertThat(service.request("GET", path, CHECK).status()).isEqualTo(403);
    assertThat(service.request("GET", path).status()).isEqualTo(401);
  }

  @Test
  void callersAreMaskedForReadersAndWholeForAdministrators() {
    var shown = read("/v1/callers", READ);
    assertThat(shown.get("masked").asBoolean()).isTrue();
    assertThat(shown.at("/callers/0/caller").asText()).isEqualTo(MASKED);
    assertThat(shown.at("/callers/0/subject/session").asText()).isEqualTo(MASK.value(SECRET));
    var whole = read("/v1/callers", ADMIN);
    assertThat(whole.get("masked").asBoolean()).isFalse();
    assertThat(whole.at("/callers/0/caller").asText()).isEqualTo(CALLER);
    assertThat(whole.at("/callers/0/subject/session").asText()).isEqualTo(SECRET);
  }

  @Test
  void searchOfReadersDoesNotFindPartsOfNames() {
    assertThat(read("/v1/callers?search=k3y-47", READ).get("callers")).isEmpty();
    assertThat(read("/v1/callers?search=s3", READ).get("callers")).hasSize(1);
    assertThat(read("/v1/callers?search=k3y-47", ADMIN).get("callers")).hasSize(1);
  }

  @Test
  void maskedNameOpensTheCallerAndWholeNameOnlyForAdministrators() {
    var shown = read(caller(MASKED), READ);
    assertThat(shown.get("caller").asText()).isEqualTo(MASKED);
    assertThat(shown.get("masked").asBoolean()).isTrue();
    assertThat(shown.get("series").isObject()).isTrue();
    assertThat(shown.toString()).doesNotContain(SECRET);
    assertThat(service.request("GET", caller(CALLER), READ).status()).isEqualTo(404);
    for (var name : List.of(CALLER, MASKED)) {
      var whole = read(caller(name), ADMIN);
      assertThat(whole.get("caller").asText()).isEqualTo(CALLER);
      assertThat(whole.at("/subject/api-key").asText()).isEqualTo(SECRET);
    }
  }

  @Test
  void callersOfARuleAreMaskedForReaders() {
    var shown = read("/v1/stats/rules/keys", READ);
    var whole = read("/v1/stats/rules/keys", ADMIN);
    for (var path : List.of("/callers/busiest/0", "/callers/denied/0", "/denials/0")) {
      assertThat(shown.at(path).get("caller").asText()).as(path).isEqualTo(MASKED);
      assertThat(whole.at(path).get("caller").asText()).as(path).isEqualTo(CALLER);
    }
    assertThat(shown.get("masked").asBoolean()).isTrue();
    assertThat(whole.get("masked").asBoolean()).isFalse();
  }

  @Test
  void whatIfMasksTheCallersOfRecentTrafficForReaders() {
    assertThat(service.post("/v1/what-if", WHAT_IF, READ).body())
        .contains(MASKED)
        .doesNotContain(SECRET);
    assertThat(service.post("/v1/what-if", WHAT_IF, ADMIN).body()).contains(CALLER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "match: {api-key: 's3cr3t-k*'}, limit: {algorithm: fixed-window, rate: 1/1h}",
        "match: {api-key: '%s'}, limit: {algorithm: fixed-window, rate: 1/1h}",
        "match: {api-key: {except: '%s'}}, limit: {algorithm: fixed-window, rate: 1/1h}",
        "match: {api-key: '*'}, limit: {algorithm: fixed-window, rate: 9/1h},"
            + " overrides: [{match: {session: '%s'}, limit: deny}]",
        "match: {api-key: '*'}, limit: {algorithm: token-bucket, rate: 9/1h,"
            + " fair: {among: api-key, weights: {'%s': 9}}}",
      })
  void whatIfOfReadersDoesNotFindNamesInRecentTraffic(String rule) {
    var body =
        """
        {"rules":"{id: keys, %s}","replace":"keys","source":{"kind":"recent"}}\
        """
            .formatted(rule.formatted(SECRET));
    var answer = service.post("/v1/what-if", body, READ);
    assertThat(answer.status()).as(answer.body()).isEqualTo(403);
    assertThat(answer.body()).contains("callers are masked");
    assertThat(service.post("/v1/what-if", body, ADMIN).status()).isEqualTo(200);
  }

  @Test
  void auditLogMasksTheSubjectOfAReset() {
    try (var log = new LogCapture("io.headgate.audit").withInfo()) {
      var answer =
          service.post(
              "/v1/reset",
              "{\"subject\":{\"api-key\":\"%s-2\"},\"rule\":\"keys\"}".formatted(SECRET),
              ADMIN);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(log.text()).contains(MASK.value(SECRET + "-2")).doesNotContain(SECRET);
    }
  }

  @Test
  void streamOfEachRoleIsServed() throws Exception {
    for (var token : List.of("look", "boss")) {
      try (var client = HttpClient.newHttpClient()) {
        var request =
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:%d/v1/stream".formatted(service.port())))
                .header("Authorization", "Bearer " + token)
                .build();
        try (var lines = client.send(request, BodyHandlers.ofLines()).body()) {
          var event = lines.filter(line -> line.startsWith("data: ")).findFirst().orElseThrow();
          assertThat(event).contains("\"tick\"").doesNotContain(SECRET);
        }
        client.shutdownNow();
      }
    }
  }
}
