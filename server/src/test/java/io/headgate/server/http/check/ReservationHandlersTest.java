package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.RateLimiter;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.ReservationSettings.Excess;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.server.http.Admin;
import io.headgate.server.http.RawAnswer;
import io.headgate.server.http.RunningService;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.ReservationStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReservationHandlersTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RESERVE_600 =
      "{\"subject\":{\"team\":\"a\"},\"costs\":{\"tokens\":600}}";

  private RunningService service;
  private Admin client;

  @BeforeEach
  void start() {
    service =
        RunningService.with(
            Rule.named("tpm")
                .match("team", "*")
                .limits(
                    List.of(
                        RuleLimit.of("requests", FixedWindow.of(Rate.perMinute(100))),
                        RuleLimit.of("tokens", TokenBucket.of(Rate.perMinute(1_000)))
                            .withCost("tokens")))
                .reservation(
                    ReservationSettings.DEFAULT
                        .withTtl(Duration.ofSeconds(60))
                        .withMaxShare(800)
                        .withDefaultCost(200))
                .build(),
            Rule.named("strict")
                .match("model", "*")
                .limits(
                    List.of(
                        RuleLimit.of("tokens", TokenBucket.of(Rate.perMinute(1_000)))
                            .withCost("tokens")))
                .reservation(ReservationSettings.DEFAULT.withExcess(Excess.REFUSE))
                .build(),
            Rule.named("one").match("user", "*").limit(Concurrency.of(1)).build());
    client = new Admin(service.port());
  }

  @AfterEach
  void stop() {
    client.close();
    service.close();
  }

  @Test
  void settlementByUnknownNameIsRejectedAndSettlesNothing() {
    String id = post("/v1/reservations", RESERVE_600, 201).get("id").asText();
    var problem = post("/v1/reservations/" + id + "/settle", "{\"actual\":{\"token\":350}}", 400);
    assertThat(problem.get("detail").asText())
        .isEqualTo(
            "cost 'token' is not a cost of this reservation, which has cost, tokens; report one of"
                + " these (nothing was changed)");
    var settled = post("/v1/reservations/" + id + "/settle", "{\"actual\":{\"tokens\":350}}", 200);
    assertThat(settled.at("/returned/tokens").asLong()).isEqualTo(250);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"actual\":7}", "{\"actual\":{\"cost\":7}}", "{\"cost\":7}"})
  void plainCostIsSettledByItsNameAndAsANumber(String body) {
    service.limiter.replaceRules(
        RuleSet.of(
            Rule.named("calls")
                .match("team", "*")
                .limit(FixedWindow.of(Rate.perMinute(100)))
                .build()));
    var made = post("/v1/reservations", "{\"subject\":{\"team\":\"a\"},\"cost\":10}", 201);
    assertThat(made.at("/reserved/cost").asLong()).isEqualTo(10);
    var settled = post("/v1/reservations/" + made.get("id").asText() + "/settle", body, 200);
    assertThat(settled.at("/charged/cost").asLong()).isEqualTo(7);
    assertThat(settled.at("/returned/cost").asLong()).isEqualTo(3);
    assertThat(settled.has("unusedCosts")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"actual\":7,\"cost\":7}",
        "{\"cost\":7,\"actual\":{\"cost\":7}}",
        "{\"actual\":\"7\"}",
        "{\"actual\":7.5}",
        "{\"actual\":-7}"
      })
  void ambiguousOrMalformedPlainCostIsRejected(String body) {
    String id = post("/v1/reservations", RESERVE_600, 201).get("id").asText();
    post("/v1/reservations/" + id + "/settle", body, 400);
  }

  @Test
  void settlementChargesTheRealCostAndReturnsTheRest() {
    var made = post("/v1/reservations", RESERVE_600, 201);
    assertThat(made.at("/reserved/tokens").asLong()).isEqualTo(600);
    assertThat(made.at("/reserved/cost").asLong()).isEqualTo(1);
    assertThat(made.get("allowed").asBoolean()).isTrue();
    assertThat(made.get("expiresAtMs").asLong()).isEqualTo(service.clock.get() / 1_000 + 60_000);
    assertThat(remaining()).isEqualTo(400);

    String settle = "/v1/reservations/" + made.get("id").asText() + "/settle";
    var settled = post(settle, "{\"actual\":{\"tokens\":350}}", 200);
    assertThat(settled.at("/charged/tokens").asLong()).isEqualTo(350);
    assertThat(settled.at("/returned/tokens").asLong()).isEqualTo(250);
    assertThat(settled.get("status").asText()).isEqualTo("settled");
    assertThat(remaining()).isEqualTo(650);

    assertThat(post(settle, "{\"actual\":{\"tokens\":999}}", 200)).isEqualTo(settled);
    assertThat(remaining()).as("charged once").isEqualTo(650);
  }

  @Test
  void reservationsTogetherDoNotExceedTheLimit() {
    post("/v1/reservations", RESERVE_600, 201);
    var denied = post("/v1/reservations", RESERVE_600, 429);
    assertThat(denied.get("violated").get(0).asText()).isEqualTo("tpm/tokens");
    assertThat(denied.has("id")).isFalse();
    assertThat(
            post("/v1/reservations", "{\"subject\":{\"team\":\"a\"}}", 201).at("/reserved/tokens"))
        .as("the default of the rule")
        .hasToString("200");
  }

  @Test
  void updateReportsUsageAndTellsWhenNothingIsLeft() {
    String id = post("/v1/reservations", RESERVE_600, 201).get("id").asText();
    service.clock.addAndGet(1_000);
    var open = patch(id, "{\"used\":{\"tokens\":200},\"ttlMs\":30000}", 200);
    assertThat(open.get("continue").asBoolean()).isTrue();
    assertThat(open.at("/reserved/tokens").asLong()).isEqualTo(400);

    var grown = patch(id, "{\"used\":{\"tokens\":200},\"more\":{\"tokens\":200}}", 200);
    assertThat(grown.get("grown").asBoolean()).isTrue();
    assertThat(grown.at("/reserved/tokens").asLong()).isEqualTo(600);

    post("/v1/usage", "{\"subject\":{\"team\":\"a\"},\"costs\":{\"tokens\":900}}", 200);
    var stop = patch(id, "{\"used\":{\"tokens\":900}}", 200);
    assertThat(stop.get("continue").asBoolean()).isFalse();
    assertThat(stop.get("status").asText()).isEqualTo("open");
  }

  @Test
  void returnedPermitsIncludeThoseThatAnUpdateAdded() {
    String id = post("/v1/reservations", RESERVE_600, 201).get("id").asText();
    patch(id, "{\"used\":{\"tokens\":10},\"more\":{\"tokens\":150}}", 200);
    String settle = "/v1/reservations/" + id + "/settle";
    for (int i = 0; i < 2; i++) {
      var settled = post(settle, "{\"actual\":{\"tokens\":50}}", 200);
      assertThat(settled.at("/returned/tokens").asLong()).isEqualTo(700);
    }
    assertThat(remaining()).isEqualTo(950);
  }

  @Test
  void cancelledReservationReturnsEverything() {
    String id = post("/v1/reservations", RESERVE_600, 201).get("id").asText();
    assertThat(service.request("DELETE", "/v1/reservations/" + id).status()).isEqualTo(204);
    assertThat(remaining()).isEqualTo(1_000);
    assertThat(service.request("DELETE", "/v1/reservations/" + id).status())
        .as("repeated")
        .isEqualTo(204);
  }

  @Test
  void abandonedReservationIsChargedItsLastUsage() {
    String id = post("/v1/reservations", RESERVE_600, 201).get("id").asText();
    patch(id, "{\"used\":{\"tokens\":100}}", 200);
    service.clock.addAndGet(61_000_000);
    assertThat(service.limiter.reservations().expireDue().toCompletableFuture().join()).isOne();
    var late = patch(id, "{\"used\":{\"tokens\":150}}", 200);
    assertThat(late.get("continue").asBoolean()).isFalse();
    assertThat(late.get("status").asText()).isEqualTo("expired");
    assertThat(late.at("/charged/tokens").asLong()).isEqualTo(100);
    var settled = post("/v1/reservations/" + id + "/settle", "{\"actual\":{\"tokens\":300}}", 200);
    assertThat(settled.at("/charged/tokens").asLong()).as("corrected").isEqualTo(300);
  }

  @Test
  void estimateAboveTheShareIsReducedAndShown() {
    var made =
        post("/v1/reservations", "{\"subject\":{\"team\":\"a\"},\"costs\":{\"tokens\":5000}}", 201);
    assertThat(made.at("/reserved/tokens").asLong()).isEqualTo(800);
    assertThat(made.at("/requested/tokens").asLong()).isEqualTo(5_000);
  }

  @Test
  void estimateAboveTheShareIsRefusedIfTheRuleSaysSo() {
    var refused =
        post(
            "/v1/reservations", "{\"subject\":{\"model\":\"m\"},\"costs\":{\"tokens\":5000}}", 429);
    assertThat(refused.get("impossible").asBoolean()).isTrue();
    assertThat(refused.get("retryAfterMs").isNull()).isTrue();
  }

  @Test
  void slotIsHeldUntilTheReservationEnds() {
    String user = "{\"subject\":{\"user\":\"7\"}}";
    String id = post("/v1/reservations", user, 201).get("id").asText();
    post("/v1/reservations", user, 429);
    service.request("DELETE", "/v1/reservations/" + id);
    post("/v1/reservations", user, 201);
  }

  @Test
  void explanationShowsHeldUsedAndFreePermits() {
    post("/v1/usage", "{\"subject\":{\"team\":\"a\"},\"costs\":{\"tokens\":100}}", 200);
    post("/v1/reservations", RESERVE_600, 201);
    String other = "{\"subject\":{\"team\":\"b\"},\"costs\":{\"tokens\":50}}";
    String id = post("/v1/reservations", other, 201).get("id").asText();
    var held = post("/v1/explain", "{\"subject\":{\"team\":\"a\"}}", 200).at("/rules/0");
    assertThat(held.get("reservations"))
        .hasToString(
            "[{\"limit\":\"requests\",\"open\":1,\"held\":1,\"used\":1,\"free\":98,\"complete\":true},"
                + "{\"limit\":\"tokens\",\"open\":1,\"held\":600,\"used\":100,\"free\":300,"
                + "\"complete\":true}]");
    service.request("DELETE", "/v1/reservations/" + id);
    var gone = post("/v1/explain", "{\"subject\":{\"team\":\"b\"}}", 200).at("/rules/0");
    assertThat(gone.has("reservations")).isFalse();
  }

  @Test
  void listShowsTheCountersOfWhichMostIsHeld() {
    for (var team : new String[] {"a", "a", "b"}) {
      post(
          "/v1/reservations",
          "{\"subject\":{\"team\":\"%s\"},\"costs\":{\"tokens\":300}}".formatted(team),
          201);
    }
    post("/v1/reservations", "{\"subject\":{\"user\":\"7\"}}", 201);
    var list = answered(client.send("GET", "/v1/reservations", ""), 200);
    assertThat(list.get("open").asLong()).isEqualTo(4);
    var first = list.at("/counters/0");
    assertThat(first.get("key").asText()).contains("a");
    assertThat(first.get("limit").asText()).isEqualTo("tokens");
    assertThat(first.get("open").asLong()).isEqualTo(2);
    assertThat(first.get("held").asLong()).isEqualTo(600);
    assertThat(first.get("free").asLong()).isEqualTo(400);
    assertThat(list.get("counters")).hasSize(5);
    var one = answered(client.send("GET", "/v1/reservations?rule=one", ""), 200).get("counters");
    assertThat(one).hasSize(1);
    assertThat(one.get(0).get("free").asLong()).isZero();
    answered(client.send("GET", "/v1/reservations?user=7", ""), 400);
  }

  @Test
  void usageAfterTheFactMayExceedTheLimit() {
    var charged =
        post("/v1/usage", "{\"subject\":{\"team\":\"a\"},\"costs\":{\"tokens\":1500}}", 200);
    assertThat(charged.get("remaining").asLong()).isZero();
    post("/v1/reservations", RESERVE_600, 429);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/reservations | {\"costs\":{\"tokens\":1}} | subject | is missing",
        "/v1/reservations | {\"key\":\"a\",\"ttlMs\":999} | ttlMs | must be 1000 to 3600000",
        "/v1/reservations | {\"key\":\"a\",\"ttlMs\":3600001} | ttlMs | must be 0 to 3600000",
        "/v1/reservations | {\"key\":\"a\",\"costs\":{\"tokens\":-1}} | costs.tokens | got -1",
        "/v1/reservations/x/settle | {} | actual | is missing",
        "/v1/reservations/x/settle | {\"used\":{}} | used | is not known here",
        "/v1/reservations/x/settle | {\"actual\":{\"t\":1.5}} | actual.t | must be a whole number",
        "/v1/usage | {\"key\":\"a\",\"ttlMs\":2000} | ttlMs | is not known here",
      })
  void badInputNamesTheField(String path, String body, String field, String flaw) {
    var problem = post(path, body, 400);
    assertThat(problem.get("field").asText()).isEqualTo(field);
    assertThat(problem.get("detail").asText()).contains(flaw);
  }

  @Test
  void unknownIdsAreNotFound() {
    String id = post("/v1/reservations", RESERVE_600, 201).get("id").asText();
    String forged = (id.charAt(0) == 'A' ? 'B' : 'A') + id.substring(1);
    for (var unknown : new String[] {"x", forged}) {
      assertThat(patch(unknown, "{\"used\":{\"tokens\":1}}", 404).get("detail").asText())
          .startsWith("there is no reservation '");
      post("/v1/reservations/" + unknown + "/settle", "{\"cost\":1}", 404);
    }
    assertThat(remaining()).isEqualTo(400);
  }

  @Test
  void storeWithoutReservationsIsNotImplemented() {
    var store =
        new ForwardingStore(MemoryStore.create()) {
          @Override
          public Optional<ReservationStore> reservations() {
            return Optional.empty();
          }
        };
    try (var other =
            RunningService.over(store, Rule.named("one").limit(Concurrency.of(1)).build());
        var caller = new Admin(other.port())) {
      String type = "Content-Type: application/json";
      var reserved = caller.send("POST", "/v1/reservations", "{\"key\":\"a\"}", type);
      assertThat(answered(reserved, 501).get("detail").asText()).contains("reservations");
      var settled = caller.send("POST", "/v1/reservations/x/settle", "{\"cost\":1}", type);
      answered(settled, 501);
    }
  }

  private long remaining() {
    var peek =
        post("/v1/peek", "{\"subject\":{\"team\":\"a\"},\"cost\":0,\"costs\":{\"tokens\":0}}", 200);
    for (var limit : peek.get("limits")) {
      if (limit.get("name").asText().equals("tokens")) return limit.get("remaining").asLong();
    }
    throw new AssertionError(peek.toString());
  }

  private JsonNode post(String path, String body, int status) {
    return answered(client.send("POST", path, body, "Content-Type: application/json"), status);
  }

  private JsonNode patch(String id, String body, int status) {
    String path = "/v1/reservations/" + id;
    return answered(client.send("PATCH", path, body, "Content-Type: application/json"), status);
  }

  private static JsonNode answered(RawAnswer answer, int status) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  @Test
  void subjectWithTooManyOpenReservationsIsRefusedWithTheReason() throws Exception {
    var rule =
        Rule.named("day").match("team", "*").limit(FixedWindow.of(Rate.perDay(1_000_000))).build();
    var store = MemoryStore.create();
    try (var other = RunningService.over(store, rule);
        var caller = new Admin(other.port());
        var limiter = RateLimiter.with(store, RuleSet.of(rule))) {
      var one = Request.of(Subject.of(Map.of("team", "a")));
      for (int i = 0; i < ReservationStore.MAX_PER_SUBJECT; i++) limiter.reserve(one);
      String type = "Content-Type: application/json";
      var body = "{\"subject\":{\"team\":\"a\"}}";
      var refused = caller.send("POST", "/v1/reservations", body, type);
      assertThat(answered(refused, 503).get("detail").asText()).contains("10000 of one subject");
      assertThat(refused.header("Retry-After")).isEqualTo("1");
      assertThat(caller.send("GET", "/metrics", "", type).body())
          .contains(
              "headgate_budget_used{budget=\"reservations\"} 10000.0",
              "headgate_budget_refused_total{budget=\"reservations\"} 1.0",
              "headgate_budget_limit{budget=\"reservation_bytes\"}");
      var others = caller.send("POST", "/v1/reservations", body.replace("\"a\"", "\"b\""), type);
      answered(others, 201);
      var nothing = body.replace("}}", "},\"cost\":0}");
      answered(caller.send("POST", "/v1/reservations", nothing, type), 201);
    }
  }
}
