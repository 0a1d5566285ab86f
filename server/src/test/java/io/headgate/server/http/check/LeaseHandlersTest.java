package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.server.api.AccessControl;
import io.headgate.server.http.Admin;
import io.headgate.server.http.RawAnswer;
import io.headgate.server.http.RunningService;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseHandlersTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ADA = "{\"key\":\"user:ada\",\"checks\":80}";

  private RunningService service;
  private Admin client;

  @BeforeEach
  void start() {
    service =
        RunningService.with(
            leased("users", "user:*").limit(FixedWindow.of(Rate.perHour(1_000))).build(),
            leased("queue", "job:*").limit(LeakyBucket.of(Rate.perHour(1_000))).build(),
            Rule.named("strict")
                .match("key", "ip:*")
                .limit(TokenBucket.of(Rate.perHour(1_000)))
                .build());
    client = new Admin(service.port());
  }

  @AfterEach
  void stop() {
    client.close();
    service.close();
  }

  private static Rule.Builder leased(String id, String key) {
    return Rule.named(id).match("key", key).consistency(Consistency.LEASED);
  }

  @Test
  void releasedLeaseChargesTheChecksThatWereMade() {
    var lease = post("/v1/leases", ADA, 201);
    assertThat(lease.get("checks").asLong()).isEqualTo(80);
    assertThat(lease.get("ttlMs").asLong()).isEqualTo(10_000);
    assertThat(lease.get("remaining").asLong()).isEqualTo(920);
    assertThat(lease.at("/limits/0/algorithm").asText()).isEqualTo("fixed-window");
    String path = "/v1/leases/" + lease.get("id").asText();
    assertThat(send("POST", path + "/release", "{\"key\":\"user:ada\",\"used\":30}").status())
        .isEqualTo(204);
    assertThat(remaining()).isEqualTo(970);
  }

  @Test
  void pathOfALeaseIsItsLocation() {
    var answer = send("POST", "/v1/leases", ADA);
    assertThat(answer.header("Location"))
        .isEqualTo("/v1/leases/" + answered(answer, 201).get("id").asText());
  }

  @Test
  void renewalChargesTheUsageAndGrantsTheNextLease() {
    var first = post("/v1/leases", ADA, 201);
    var second = renew(first, "{\"key\":\"user:ada\",\"used\":70,\"checks\":50}");
    assertThat(second.get("checks").asLong()).isEqualTo(50);
    assertThat(remaining()).isEqualTo(1_000 - 70 - 50);
  }

  @Test
  void leasedPermitsAreRefusedToChecks() {
    post("/v1/leases", ADA, 201);
    assertThat(post("/v1/check", "{\"key\":\"user:ada\",\"cost\":921}", 429).get("rule").asText())
        .isEqualTo("users");
    post("/v1/check", "{\"key\":\"user:ada\",\"cost\":920}", 200);
  }

  @Test
  void leaseOfALostClientCountsAsSpentAtItsEnd() {
    var lease = post("/v1/leases", ADA, 201);
    service.clock.addAndGet(10_000_001);
    String path = "/v1/leases/" + lease.get("id").asText();
    send("POST", path + "/release", "{\"key\":\"user:ada\",\"used\":0}");
    assertThat(remaining()).isEqualTo(920);
  }

  @ParameterizedTest
  @CsvSource({
    "job:1, rule 'queue' can't be leased",
    "ip:1, rule 'strict' is not leased",
    "other, no limit applies to the request",
  })
  void otherRulesAreAskedEachTime(String key, String reason) {
    var none = post("/v1/leases", "{\"key\":\"%s\"}".formatted(key), 200);
    assertThat(none.get("checks").asLong()).isZero();
    assertThat(none.get("lasting").asBoolean()).isTrue();
    assertThat(none.get("reason").asText()).isEqualTo(reason);
  }

  @Test
  void exhaustedLimitGrantsNoLeaseForNow() {
    post("/v1/check", "{\"key\":\"user:ada\",\"cost\":1000}", 200);
    assertThat(post("/v1/leases", ADA, 200).get("lasting").asBoolean()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/leases | {\"checks\":1} | subject | is missing",
        "/v1/leases | {\"key\":\"a\",\"checks\":1000001} | checks | must be 0 to 1000000",
        "/v1/leases | {\"key\":\"a\",\"used\":1} | used | is not known here",
        "/v1/leases/x/release | {\"key\":\"a\"} | used | is missing",
        "/v1/leases/x/release | {\"key\":\"a\",\"used\":1} | id | is not the id of a lease",
      })
  void badInputNamesTheField(String path, String body, String field, String flaw) {
    var problem = post(path, body, 400);
    assertThat(problem.get("field").asText()).isEqualTo(field);
    assertThat(problem.get("detail").asText()).contains(flaw);
  }

  @Test
  void leaseNeedsTheCheckToken() {
    var access = new AccessControl(Optional.of("admin-token-1"), Optional.of("check-token-1"));
    try (var guarded = RunningService.withAccess(access);
        var caller = new Admin(guarded.port())) {
      String type = "Content-Type: application/json";
      assertThat(caller.send("POST", "/v1/leases", ADA, type).status()).isEqualTo(401);
      var token = "Authorization: Bearer check-token-1";
      assertThat(caller.send("POST", "/v1/leases", ADA, type, token).status()).isEqualTo(200);
    }
  }

  private long remaining() {
    return post("/v1/peek", "{\"key\":\"user:ada\"}", 200).get("remaining").asLong();
  }

  private JsonNode renew(JsonNode lease, String body) {
    return answered(send("PUT", "/v1/leases/" + lease.get("id").asText(), body), 200);
  }

  private JsonNode post(String path, String body, int status) {
    return answered(send("POST", path, body), status);
  }

  private RawAnswer send(String method, String path, String body) {
    return client.send(method, path, body, "Content-Type: application/json");
  }

  private static JsonNode answered(RawAnswer answer, int status) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }
}
