package io.headgate.server.http.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.server.http.RawAnswer;
import io.headgate.server.http.RunningService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlaygroundHandlerTest {
  private static final String WINDOWS =
      """
      [{"name":"fixed","limit":{"algorithm":"fixed-window","rate":"10/10s"}},
       {"name":"rolling","limit":{"algorithm":"rolling-window","rate":"10/10s"}},
       {"name":"queue","limit":{"algorithm":"leaky-bucket","rate":"10/10s","queue":5}}]\
      """;

  private final RunningService service = RunningService.with();

  @AfterEach
  void stop() {
    service.close();
  }

  private RawAnswer post(String traffic, String limits) {
    return service.post(
        "/v1/playground",
        "{\"durationMs\":60000,\"traffic\":%s,\"limits\":%s}".formatted(traffic, limits));
  }

  private JsonNode simulate(String traffic) throws Exception {
    var answer = post(traffic, WINDOWS);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return new ObjectMapper().readTree(answer.body());
  }

  @Test
  void burstsAtWindowEdgesGetTwiceTheLimitOnlyOfAFixedWindow() throws Exception {
    var answer = simulate("{\"kind\":\"edges\"}");
    assertThat(answer.get("requests").asInt()).isEqualTo(10 * 2 * 5 + 10);
    assertThat(answer.get("stepMs").asInt()).isEqualTo(500);
    assertThat(answer.at("/results/0/maxInWindow").toString())
        .isEqualTo("{\"windowMs\":10000,\"admitted\":20,\"limit\":10}");
    assertThat(answer.at("/results/1/maxInWindow/admitted").asInt()).isEqualTo(10);
  }

  @Test
  void loudTenantTakesNothingFromNineQuietOnesThatShareALimitFairly() throws Exception {
    var answer =
        post(
            "{\"kind\":\"tenants\",\"rates\":[200,5,5,5,5,5,5,5,5,5]}",
            """
            [{"name":"plain","limit":{"algorithm":"token-bucket","rate":"100/1s"}},
             {"name":"fair","limit":{"algorithm":"token-bucket","rate":"100/1s",
              "fair":{"among":"tenant"}}}]\
            """);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    var results = new ObjectMapper().readTree(answer.body()).get("results");
    for (int quiet = 1; quiet < 10; quiet++) {
      assertThat(results.at("/0/tenants/" + quiet + "/admitted").asInt()).isLessThan(250);
      assertThat(results.at("/1/tenants/" + quiet).toString())
          .isEqualTo(
              "{\"name\":\"tenant-%d\",\"requests\":300,\"admitted\":300}".formatted(quiet + 1));
    }
    // The rest of 100 a second for a minute, and the burst that is not kept for others.
    assertThat(results.at("/1/tenants/0/admitted").asInt()).isBetween(3_300, 3_400);
  }

  @Test
  void limitsThatFollowTheLoadAreNoted() throws Exception {
    var answer =
        post(
            "{\"kind\":\"steady\",\"perSecond\":1}",
            """
            [{"name":"plain","limit":{"algorithm":"token-bucket","rate":"100/1s"}},
             {"name":"tuned","limit":{"algorithm":"token-bucket","rate":"100/1s",
              "adapt":{"between":["10/1s","500/1s"],"signal":"latency","target":"250ms"}}},
             {"name":"slots","limit":{"algorithm":"adaptive-concurrency","max":100}}]\
            """);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body())
        .contains(
            "\"notes\":[\"the load of backends is not simulated, so 'tuned' has its own rate and ignores adapt\","
                + "\"no request reports an outcome, so 'slots' stays at its initial number of slots\"]");
  }

  @Test
  void everyRequestIsCountedOnceInItsStep() throws Exception {
    var answer = simulate("{\"kind\":\"bursts\",\"burst\":20,\"everyMs\":30000}");
    assertThat(answer.get("offered")).hasSize(120);
    assertThat(answer.at("/offered/0").asInt()).isEqualTo(20);
    assertThat(answer.at("/offered/60").asInt()).isEqualTo(20);
    var queue = answer.at("/results/2");
    assertThat(queue.get("algorithm").asText()).isEqualTo("leaky-bucket");
    assertThat(queue.get("totals").toString())
        .isEqualTo("{\"admitted\":2,\"denied\":28,\"delayed\":10}");
    assertThat(queue.at("/delay/maxMs").asInt()).isEqualTo(5_000);
    assertThat(queue.at("/queue/0").asInt()).isEqualTo(5_000);
    assertThat(queue.get("first")).hasSize(40);
    assertThat(queue.at("/first/1").toString())
        .isEqualTo("{\"atMs\":0,\"outcome\":\"delayed\",\"delayMs\":1000}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'kind':'steady','perSecond':2.5}|150",
        "{'kind':'ramp','perSecond':10}|300",
        "{'kind':'drawn','drawn':[3,0,7]}|10",
        "{'kind':'times','times':[5,1,59999,60000]}|3",
        "{'kind':'bursts','burst':2,'everyMs':1000,'perSecond':1}|180",
        "{'kind':'recent'}|0",
      })
  void trafficMatchesItsDescription(String traffic, int requests) throws Exception {
    assertThat(simulate(traffic.replace('\'', '"')).get("requests").asInt()).isEqualTo(requests);
  }

  @Test
  void sameSeedGeneratesTheSameTraffic() throws Exception {
    var first = simulate("{\"kind\":\"random\",\"perSecond\":5,\"seed\":7}");
    assertThat(simulate("{\"kind\":\"random\",\"perSecond\":5,\"seed\":7}")).isEqualTo(first);
    assertThat(simulate("{\"kind\":\"random\",\"perSecond\":5,\"seed\":8}")).isNotEqualTo(first);
    assertThat(first.get("requests").asInt()).isBetween(200, 400);
  }

  @Test
  void recentRequestsCanBeReplayed() throws Exception {
    service.post("/v1/check", "{\"key\":\"a\"}");
    service.clock.addAndGet(2_000_000);
    service.post("/v1/check", "{\"key\":\"b\"}");
    var answer = simulate("{\"kind\":\"recent\"}");
    assertThat(answer.at("/results/0/first/1/atMs").asInt()).isEqualTo(2_000);
  }

  @Test
  void excessTrafficIsTruncatedAndReported() throws Exception {
    var answer = simulate("{\"kind\":\"steady\",\"perSecond\":1000000}");
    assertThat(answer.get("truncated").asBoolean()).isTrue();
    assertThat(answer.get("requests").asInt()).isEqualTo(200_000);
  }

  @Test
  void invalidLimitIsReportedWithItsPosition() {
    var answer =
        post(
            "{\"kind\":\"steady\",\"perSecond\":1}",
            "\n[{\"limit\":{\"algorithm\":\"token-buckt\",\"rate\":\"1/1s\"}}]");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body())
        .contains(
            "\"problems\":[{\"line\":2,\"column\":24,",
            "limits[0].limit.algorithm",
            "token-bucket");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'kind':'stedy'}|traffic.kind must be steady, bursts",
        "{'kind':'steady'}|traffic.perSecond is missing",
        "{'kind':'drawn','drawn':[1,-1]}|traffic.drawn must be 0 to 1000000, got -1",
        "{'kind':'bursts','burst':1,'everyMs':0}|traffic.everyMs must be 1 to 86400000",
        "{'kind':'steady','rate':1}|traffic.rate is not known here",
        "7|traffic must be an object",
      })
  void invalidTrafficIsReportedWithItsField(String traffic, String message) {
    var answer = post(traffic.replace('\'', '"'), WINDOWS);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).contains(message);
  }

  @Test
  void repeatedFieldIsRejected() {
    String limit = "\"limit\":{\"algorithm\":\"concurrency\",\"max\":1}";
    String traffic = "{\"kind\":\"steady\",\"perSecond\":1}";
    assertThat(post(traffic, "[{" + limit + "," + limit + "}]").body())
        .contains("limits[0].limit is given twice; give it once");
    assertThat(post(traffic, "[{" + limit + "}],\"limits\":[]").body())
        .contains("limits is given twice");
    assertThat(post(traffic + ",\"traffic\":{}", "[]").body()).contains("traffic is given twice");
    assertThat(post("{\"kind\":\"drawn\",\"drawn\":[],\"drawn\":[]}", "[]").body())
        .contains("traffic.drawn is given twice");
  }

  @Test
  void latestRecentRequestsAreReplayed() throws Exception {
    for (int i = 0; i < 3; i++) {
      service.post("/v1/check", "{\"key\":\"a\"}");
      service.clock.addAndGet(40_000_000);
    }
    var answer = simulate("{\"kind\":\"recent\"}");
    assertThat(answer.get("requests").asInt()).isEqualTo(2);
    assertThat(answer.at("/results/0/first/0/atMs").asInt()).isEqualTo(20_000 - 1);
    assertThat(answer.at("/results/0/first/1/atMs").asInt()).isEqualTo(60_000 - 1);
  }

  @Test
  void exceededBoundsAreReported() {
    String one = "{\"limit\":{\"algorithm\":\"concurrency\",\"max\":1}}";
    String nine = "[" + (one + ",").repeat(8) + one + "]";
    assertThat(post("{\"kind\":\"steady\",\"perSecond\":1}", nine).body())
        .contains("limits may have at most 8 items");
    assertThat(service.post("/v1/playground", "{\"durationMs\":86400001}").body())
        .contains("durationMs must be 0 to 86400000, got 86400001");
    assertThat(service.post("/v1/playground", "{\"limits\":[" + one + "]}").body())
        .contains("traffic is missing");
  }
}
