package io.headgate.server.http.ui;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import io.headgate.http.TrustedProxies;
import io.headgate.limit.Concurrency;
import io.headgate.limit.Deny;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.Readiness;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.check.CheckService;
import io.headgate.server.check.CostCheck;
import io.headgate.server.http.Admin;
import io.headgate.server.http.HttpApi;
import io.headgate.server.http.RawAnswer;
import io.headgate.server.http.RunningService;
import io.headgate.server.http.SharedViews;
import io.headgate.server.http.simulation.SimulationExecutor;
import io.headgate.server.http.stats.StatsHandlers;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.http.transport.ConnectionTracker;
import io.headgate.server.http.transport.MemoryBudget;
import io.headgate.server.metrics.Metrics;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.quota.QuotaStats;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.rules.RecentCallers;
import io.headgate.server.simulation.RecentTraffic;
import io.headgate.server.stats.ClusterCallers;
import io.headgate.server.stats.DecisionListener;
import io.headgate.server.stats.LoadHistory;
import io.headgate.server.stats.StatsCollector;
import io.headgate.server.stats.StoreLatency;
import io.headgate.server.trace.Tracing;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The OpenAPI description matches the actual responses. */
class OpenApiHandlerTest {

  private static final Rule USERS =
      Rule.named("users").match("key", "user:*").limit(FixedWindow.of(Rate.perHour(2))).build();
  private static final Rule JOBS =
      Rule.named("jobs").match("job", "*").limit(Concurrency.of(1)).build();
  private static final Rule TRIAL =
      Rule.named("trial")
          .match("key", "user:*")
          .mode(Mode.SHADOW)
          .limit(FixedWindow.of(Rate.perHour(1)))
          .build();

  private static final String RULE =
      "{\"id\":\"new\",\"limit\":{\"algorithm\":\"token-bucket\",\"rate\":\"1/1s\"}}";

  private static final String PLAYGROUND =
      """
      {"durationMs":10000,"traffic":{"kind":"bursts","burst":5,"everyMs":1000},
      "limits":[{"limit":{"algorithm":"leaky-bucket","rate":"2/1s","queue":2}}]}\
      """;

  private static final String WHAT_IF =
      """
      {"rules":"{id: users, limit: {algorithm: token-bucket, rate: 1/1h}}","replace":"users",
      "source":{"kind":"log","text":"10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] \\"GET / HTTP/1.1\\" 200 1\\nx"}}\
      """;

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Rule BLOCK =
      Rule.named("block").match("key", "bot:*").limit(new Deny()).build();
  private static final Rule HEALTH = Rule.named("health").match("key", "health").exempt().build();

  /** The description, which does not depend on the rules: parsed once. */
  private static JsonNode document;

  private final RunningService service = RunningService.with(USERS, JOBS, TRIAL, BLOCK, HEALTH);

  @BeforeAll
  static void readDocument() {
    try (var service = RunningService.with()) {
      document = document(service);
    }
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private static JsonNode document(RunningService service) {
    var answer = service.request("GET", "/openapi.yaml");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.mediaType()).isEqualTo("application/yaml");
    var settings = LoadSettings.builder().setMaxAliasesForCollections(100).build();
    return JSON.valueToTree(new Load(settings).loadFromString(answer.body()));
  }

  private Set<String> described() {
    var described = new TreeSet<String>();
    document
        .get("paths")
        .properties()
        .forEach(path ->
            path.getValue()
                .fieldNames()
                .forEachRemaining(method -> {
                  if (method.equals("parameters")) return;
                  String open = path.getKey().replaceAll("\\{[a-z]+}", "*");
                  described.add(method.toUpperCase(Locale.ROOT) + " " + open);
                }));
    return described;
  }

  @Test
  void describedAndServedEndpointsAreEqual() throws Exception {
    var vertx = Vertx.vertx();
    var repository = InMemoryRuleRepository.of(service.limiter.rules());
    try (var metrics =
        new Metrics(
            service.limiter,
            repository,
            new StoreMetrics(),
            () -> QuotaStats.NONE,
            Set.of(),
            () -> 0,
            List::of,
            1)) {
      var collector = new StatsCollector(StatsCollector.DEFAULT_CALLER_NAMES, () -> 0, () -> false);
      var stats =
          new StatsHandlers(
              collector,
              new ClusterCallers(collector),
              service.limiter,
              new LoadHistory(service.limiter::rules),
              repository,
              AccessControl.OPEN,
              new Readiness(),
              new StoreLatency(),
              () -> QuotaStats.NONE,
              "instance",
              CallerMask.NONE);
      var api =
          new HttpApi(
              vertx,
              new CheckService(
                  vertx,
                  service.limiter,
                  DecisionListener.NONE,
                  new CostCheck(service.limiter, false, metrics.unusedCosts())),
              service.limiter,
              repository,
              new RecentCallers(1),
              new SharedViews(
                  metrics,
                  stats,
                  new SimulationExecutor(new RecentTraffic(1, service.clock::get)),
                  Tracing.OFF),
              service.clock::get,
              AccessControl.OPEN,
              TrustedProxies.NONE,
              new ConnectionTracker(ConnectionLimits.DEFAULT, MemoryBudget.ofHeap(), 1),
              new Readiness());
      assertThat(described()).isEqualTo(new TreeSet<>(api.endpoints()));
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void referencesResolveAndOperationIdsAreUnique() {
    var names = new ArrayList<String>();
    for (var node : document.findValues("$ref")) {
      assertThat(document.at(node.asText().substring(1)).isMissingNode())
          .as(node.asText())
          .isFalse();
    }
    document.findValues("operationId").forEach(id -> names.add(id.asText()));
    assertThat(names).doesNotHaveDuplicates().hasSizeGreaterThan(20);
    assertThat(document.get("openapi").asText()).startsWith("3.1.");
  }

  /** A request and its expected status. */
  record Call(String method, String path, String body, int status, List<String> headers) {
    static Call of(String method, String path, String body, int status, String... headers) {
      return new Call(method, path, body, status, List.of(headers));
    }

    @Override
    public String toString() {
      return method + " " + path + " " + body + " " + status;
    }
  }

  static List<Call> calls() {
    String user = "{\"key\":\"user:1\"}";
    String much = "{\"key\":\"user:1\",\"cost\":3}";
    String problem = "Accept: application/problem+json";
    return List.of(
        Call.of("POST", "/v1/check", user, 200),
        Call.of("POST", "/v1/check", "{\"key\":\"nobody\"}", 200),
        Call.of("POST", "/v1/check", "{\"key\":\"health\"}", 200),
        Call.of("POST", "/v1/check", much, 429),
        Call.of("POST", "/v1/check", much, 429, problem),
        Call.of("POST", "/v1/check", "{\"key\":\"bot:1\"}", 403),
        Call.of("POST", "/v1/check", "{\"key\":\"bot:1\"}", 403, problem),
        Call.of("POST", "/v1/check", "{\"key\":7,\"cost\":-1}", 400),
        Call.of("POST", "/v1/check", "no json", 400),
        Call.of("POST", "/v1/check", user, 415, "Content-Type: text/plain"),
        Call.of("POST", "/v1/check/batch", "{\"checks\":[" + user + "," + much + "]}", 200),
        Call.of("POST", "/v1/check/batch", "{}", 400),
        Call.of("POST", "/v1/peek", user, 200),
        Call.of("POST", "/v1/peek", much, 429),
        Call.of("POST", "/v1/slots", "{\"subject\":{\"job\":\"a\"}}", 201),
        Call.of("POST", "/v1/slots", user, 200),
        Call.of("POST", "/v1/slots", much, 429),
        Call.of("PUT", "/v1/slots/x", "", 400),
        Call.of("DELETE", "/v1/slots/x", "", 400),
        Call.of("POST", "/v1/reservations", user, 201),
        Call.of("POST", "/v1/reservations", "{\"key\":\"user:1\",\"cost\":3}", 201),
        Call.of("POST", "/v1/reservations", "{\"key\":\"bot:1\"}", 403),
        Call.of("POST", "/v1/reservations", "{\"key\":\"user:1\",\"ttlMs\":5}", 400),
        Call.of("PATCH", "/v1/reservations/x", "{\"used\":{\"tokens\":1}}", 404),
        Call.of("DELETE", "/v1/reservations/x", "", 404),
        Call.of("POST", "/v1/reservations/x/settle", "{\"cost\":1}", 404),
        Call.of("POST", "/v1/leases", user, 200),
        Call.of("POST", "/v1/leases", "{\"key\":\"user:1\",\"checks\":-1}", 400),
        Call.of("PUT", "/v1/leases/x", "{\"key\":\"user:1\",\"used\":1}", 400),
        Call.of("POST", "/v1/leases/x/release", "{\"key\":\"user:1\"}", 400),
        Call.of("POST", "/v1/usage", much, 200),
        Call.of("POST", "/v1/explain", user, 200),
        Call.of("POST", "/v1/explain", "{\"key\":\"bot:1\"}", 200),
        Call.of("POST", "/v1/explain", "{\"subject\":{\"job\":\"a\",\"n\":1}}", 200),
        Call.of("POST", "/v1/reset", "{\"key\":\"user:1\",\"rule\":\"users\"}", 200),
        Call.of("POST", "/v1/reset", "{\"key\":\"user:1\",\"rule\":\"none\"}", 404),
        Call.of("GET", "/v1/gate", "", 204, "X-Headgate-Key: user:1"),
        Call.of("GET", "/v1/gate", "", 429, "X-Headgate-Key: user:1", "X-Headgate-Cost: 3"),
        Call.of("GET", "/v1/gate", "", 403, "X-Headgate-Key: bot:1"),
        Call.of("GET", "/v1/gate", "", 400, "X-Headgate-Unknown: x"),
        Call.of("POST", "/api/ratelimit/check", "{\"key\":\"user:1\",\"tokens\":1}", 200),
        Call.of("POST", "/api/ratelimit/check", "{\"key\":\"user:1\",\"tokens\":3}", 429),
        Call.of("POST", "/v1/playground", PLAYGROUND, 200),
        Call.of("POST", "/v1/playground", "{\"limits\":[]}", 400),
        Call.of("POST", "/v1/what-if", WHAT_IF, 200),
        Call.of("POST", "/v1/what-if", "{\"rules\":\"rules: 7\"}", 400),
        Call.of("GET", "/v1/rules", "", 200),
        Call.of("GET", "/v1/rules", "", 304, "If-None-Match: \"1\""),
        Call.of("GET", "/v1/rules?search=users&limit=1", "", 200),
        Call.of("GET", "/v1/rules?serach=users", "", 400),
        Call.of("PUT", "/v1/rules", "{\"rules\":[]}", 200),
        Call.of("PUT", "/v1/rules", "{\"rules\":[]}", 412, "If-Match: \"7\""),
        Call.of("PUT", "/v1/rules?dry-run=true", "{\"rules\":[" + RULE + "]}", 200),
        Call.of("PUT", "/v1/rules", "{\"rules\":[{}]}", 400),
        Call.of("PUT", "/v1/rules", "{}", 415, "Content-Type: text/plain"),
        Call.of("GET", "/v1/rules/users", "", 200),
        Call.of("GET", "/v1/rules/none", "", 404),
        Call.of("PUT", "/v1/rules/new", RULE, 201),
        Call.of("PUT", "/v1/rules/other", RULE, 400),
        Call.of("DELETE", "/v1/rules/users", "", 200),
        Call.of("DELETE", "/v1/rules/none", "", 404),
        Call.of("GET", "/v1/revisions", "", 200),
        Call.of("GET", "/v1/revisions?rule=users", "", 200),
        Call.of("GET", "/v1/revisions/1?rules=true", "", 200),
        Call.of("GET", "/v1/revisions/9", "", 404),
        Call.of("POST", "/v1/revisions/1/restore", "", 200),
        Call.of("POST", "/v1/revisions/9/restore", "", 404),
        Call.of("GET", "/v1/stats", "", 200),
        Call.of("GET", "/v1/stats/history", "", 200),
        Call.of("GET", "/v1/stats/history?range=24h&rule=users", "", 200),
        Call.of("GET", "/v1/stats/history?range=2h", "", 400),
        Call.of("GET", "/v1/stats/history?rule=none", "", 404),
        Call.of("GET", "/v1/stats/rules", "", 200),
        Call.of("GET", "/v1/stats/rules/users", "", 200),
        Call.of("GET", "/v1/stats/rules/none", "", 404),
        Call.of("GET", "/v1/callers", "", 200),
        Call.of("GET", "/v1/callers?sort=rate&rule=users&search=user&limit=5", "", 200),
        Call.of("GET", "/v1/callers?sort=up", "", 400),
        Call.of("GET", "/v1/callers/nobody", "", 404),
        Call.of("GET", "/v1/whoami", "", 200),
        Call.of("GET", "/health/live", "", 200),
        Call.of("GET", "/health/ready", "", 200),
        Call.of("GET", "/assets/none.js", "", 404),
        Call.of("GET", "/", "", 200));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void responseMatchesItsSchema(Call call) throws Exception {
    var answer = answer(call);
    assertThat(answer.status()).as(answer.body()).isEqualTo(call.status);
    var response = response(call);
    if (answer.body().isEmpty()) {
      assertThat(response.has("content")).isFalse();
      return;
    }
    var content = response.path("content").path(answer.mediaType());
    assertThat(content.isMissingNode()).as("%s of %s", answer.mediaType(), response).isFalse();
    assertThat(errors(content.get("schema"), answer.body())).isEmpty();
  }

  private RawAnswer answer(Call call) {
    var headers = new ArrayList<>(call.headers);
    if (call.body.isEmpty()) {
      return service.request(call.method, call.path, headers.toArray(String[]::new));
    }
    if (headers.stream().noneMatch(header -> header.startsWith("Content-Type"))) {
      headers.add("Content-Type: application/json");
    }
    try (var admin = new Admin(service.port())) {
      return admin.send(call.method, call.path, call.body, headers.toArray(String[]::new));
    }
  }

  @Test
  void slotResponsesMatchTheirSchemas() throws Exception {
    var taken = service.post("/v1/slots", "{\"subject\":{\"job\":\"a\"}}");
    String path = "/v1/slots/" + JSON.readTree(taken.body()).get("id").asText();
    var renewed = service.request("PUT", path);
    var schema =
        response(Call.of("PUT", "/v1/slots/x", "", 200)).at("/content/application~1json/schema");
    assertThat(errors(schema, renewed.body())).isEmpty();
    assertThat(service.request("DELETE", path).status()).isEqualTo(204);
  }

  @Test
  void reservationResponsesMatchTheirSchemas() throws Exception {
    var made = service.post("/v1/reservations", "{\"key\":\"user:1\"}");
    String path = "/v1/reservations/" + JSON.readTree(made.body()).get("id").asText();
    String json = "/content/application~1json/schema";
    try (var admin = new Admin(service.port())) {
      var type = "Content-Type: application/json";
      var updated = admin.send("PATCH", path, "{\"cost\":1}", type);
      var update = response(Call.of("PATCH", "/v1/reservations/x", "", 200)).at(json);
      assertThat(errors(update, updated.body())).as(updated.body()).isEmpty();
      var settled = admin.send("POST", path + "/settle", "{\"cost\":1}", type);
      var settle = response(Call.of("POST", "/v1/reservations/x/settle", "", 200)).at(json);
      assertThat(errors(settle, settled.body())).as(settled.body()).isEmpty();
    }
  }

  /** A schema that accepts anything would prove nothing. */
  @Test
  void responseThatDoesNotMatchIsDetected() {
    var schema = JSON.valueToTree(Map.of("$ref", "#/components/schemas/Decision"));
    assertThat(errors(schema, "{\"allowed\":\"yes\"}")).isNotEmpty();
  }

  private JsonNode response(Call call) {
    String template =
        call.path
            .replaceFirst("\\?.*", "")
            .replaceFirst("^/assets/.*", "/assets/{name}")
            .replaceFirst(
                "^/v1/(slots|reservations|leases|rules|stats/rules)/[^/]+$", "/v1/$1/{id}")
            .replaceFirst("^/v1/reservations/[^/]+/settle$", "/v1/reservations/{id}/settle")
            .replaceFirst("^/v1/leases/[^/]+/release$", "/v1/leases/{id}/release")
            .replaceFirst("^/v1/callers/[^/]+$", "/v1/callers/{caller}")
            .replaceFirst("^/v1/revisions/\\d+", "/v1/revisions/{n}");
    var responses =
        document
            .get("paths")
            .get(template)
            .get(call.method.toLowerCase(Locale.ROOT))
            .get("responses");
    String exact = Integer.toString(call.status);
    var found = responses.has(exact) ? responses.get(exact) : responses.get(exact.charAt(0) + "XX");
    assertThat(found).as("%s of %s", exact, template).isNotNull();
    return found.has("$ref") ? document.at(found.get("$ref").asText().substring(1)) : found;
  }

  private List<String> errors(JsonNode schema, String body) {
    try {
      var root = JSON.createObjectNode();
      root.set("components", document.get("components"));
      root.set("allOf", JSON.createArrayNode().add(schema));
      var validator = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(root);
      return validator.validate(JSON.readTree(body)).stream().map(Object::toString).toList();
    } catch (java.io.IOException e) {
      throw new AssertionError(body, e);
    }
  }
}
