package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Shed;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Rule;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.TokenSet;
import io.headgate.server.http.RawAnswer;
import io.headgate.server.http.RunningService;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SignalHandlersTest {
  private static final String ADMIN = "admin-token-of-the-test";
  private static final String READ = "read-token-of-the-test-";
  private static final String CHECK = "check-token-of-the-test";
  private static final String SIGNAL = "signal-token-of-the-tes";
  private static final Rule SHED =
      Rule.named("overload")
          .match("backend", "*")
          .limit(
              new Shed(
                  ShedPolicy.of(SignalKind.UTILIZATION, 0.8)
                      .withPriorities("priority", "critical", "normal", "bulk")
                      .withCallers("user")))
          .build();

  private static final RunningService SERVICE =
      RunningService.withAccess(
          new AccessControl(
              TokenSet.NONE
                  .withAdmin(ADMIN, "")
                  .withRead(READ, "")
                  .withCheck(CHECK, "")
                  .withSignal(SIGNAL, "")),
          SHED);

  private static int dropped; // a user whose bulk requests are dropped

  @BeforeAll
  static void overload() {
    for (int second = 0; second < 25; second++) {
      for (int user = 0; user < 20; user++) check("bulk", user);
      assertThat(
              report("{\"subject\":{\"backend\":\"checkout\"},\"utilization\":1}", SIGNAL).status())
          .isEqualTo(204);
      SERVICE.limiter.signals().sync().join();
      SERVICE.clock.addAndGet(1_000_000);
    }
    for (dropped = 0; check("bulk", dropped).status() == 200; ) dropped++;
  }

  @AfterAll
  static void stop() {
    SERVICE.close();
  }

  private static String token(String token) {
    return "Authorization: Bearer " + token;
  }

  private static RawAnswer report(String body, String token) {
    return SERVICE.post("/v1/signals", body, token(token));
  }

  private static String subject(String priority, int user) {
    return "{\"subject\":{\"backend\":\"checkout\",\"priority\":\"%s\",\"user\":\"%d\"}}"
        .formatted(priority, user);
  }

  private static RawAnswer check(String priority, int user, String... headers) {
    var all = new ArrayList<>(List.of(headers));
    all.add(token(CHECK));
    return SERVICE.post("/v1/check", subject(priority, user), all.toArray(String[]::new));
  }

  @Test
  void droppedRequestIsAnsweredWith503AndARetryTime() {
    var answer = check("bulk", dropped);
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.body())
        .startsWith(
            "{\"allowed\":false,\"rule\":\"overload\",\"limit\":0,\"remaining\":0,\"retryAfterMs\":")
        .contains("\"source\":\"cache\",\"violated\":[\"overload\"]")
        .contains("\"algorithm\":\"shed\"");
    assertThat(Long.parseLong(answer.header("Retry-After"))).isBetween(1L, 62L);
    assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
    assertThat(answer.headers()).doesNotContainKeys("ratelimit", "x-ratelimit-limit");
  }

  @Test
  void droppedRequestIsAProblemOfReducedCapacityIfAccepted() {
    var answer = check("bulk", dropped, "Accept: application/problem+json");
    assertThat(answer.body())
        .endsWith(
            """
            ,"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",\
            "title":"Temporary reduced capacity","status":503,"violated-policies":["overload"]}\
            """);
  }

  @Test
  void criticalRequestPasses() {
    assertThat(check("critical", dropped).status()).isEqualTo(200);
  }

  @Test
  void gateAnswersWithTheStatusOfTheRule() {
    var answer =
        SERVICE.request(
            "GET",
            "/v1/gate",
            token(CHECK),
            "X-Headgate-Attr-Backend: checkout",
            "X-Headgate-Attr-Priority: bulk",
            "X-Headgate-Attr-User: " + dropped);
    assertThat(answer.status()).isEqualTo(503);
  }

  @Test
  void explanationHasTheLevelAndTheSignal() {
    var answer = SERVICE.post("/v1/explain", subject("bulk", dropped), token(READ));
    assertThat(answer.body())
        .contains("\"reason\":\"applies and sheds load\"")
        .containsPattern(
            "\"shedding\":\\{\"level\":0\\.[0-9]+,\"kind\":\"utilization\",\"target\":0\\.8,\"signal\":1,\"reporters\":1,\"signalAgeMs\":[0-9]+,"
                + "\"priority\":\"bulk\",\"dropped\":true,\"retryAfterMs\":[1-9]");
  }

  @Test
  void statisticsAndMetricsHaveTheLevel() {
    assertThat(SERVICE.request("GET", "/v1/stats", token(READ)).body())
        .containsPattern(
            "\"shedding\":\\[\\{\"rule\":\"overload\",\"backend\":\"checkout\",\"level\":0\\.[0-9]+");
    assertThat(SERVICE.request("GET", "/metrics", token(READ)).body())
        .containsPattern("headgate_shed_level\\{rule=\"overload\"} 0\\.[1-9]")
        .containsPattern(
            "headgate_decisions_total\\{outcome=\"denied\",rule=\"overload\",source=\"cache\"} [1-9]");
  }

  @ParameterizedTest
  @CsvSource({ADMIN + ",204", SIGNAL + ",204", CHECK + ",403", READ + ",403", "wrong,401"})
  void onlySignalAndAdminTokensMayReport(String token, int status) {
    var answer = report("{\"subject\":{\"backend\":\"other\"},\"errors\":0}", token);
    assertThat(answer.status()).isEqualTo(status);
  }

  @Test
  void signalTokenPermitsNothingElse() {
    assertThat(SERVICE.post("/v1/check", subject("bulk", 1), token(SIGNAL)).status())
        .isEqualTo(403);
    assertThat(SERVICE.request("GET", "/v1/rules", token(SIGNAL)).status()).isEqualTo(403);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | subject",
        "{\"subject\":{\"backend\":\"a\"}} | utilization",
        "{\"utilization\":1} | subject",
        "{\"subject\":{},\"utilization\":1} | subject",
        "{\"subject\":{\"backend\":\"a\"},\"utilization\":-1} | utilization",
        "{\"subject\":{\"backend\":\"a\"},\"utilization\":1e10} | utilization",
        "{\"subject\":{\"backend\":\"a\"},\"utilization\":NaN} | utilization",
        "{\"subject\":{\"backend\":\"a\"},\"utilization\":null} | utilization",
        "{\"subject\":{\"backend\":\"a\"},\"utilization\":\"1\"} | utilization",
        "{\"subject\":{\"backend\":\"a\"},\"utilization\":1,\"utilization\":1} | utilization",
        "{\"subject\":{\"backend\":\"a\"},\"capacity\":0} | body",
        "{\"subject\":{\"backend\":\"a\"},\"reporter\":\"\",\"errors\":0} | reporter",
        "{\"subject\":{\"backend\":\"a\"},\"utilisation\":1} | utilisation",
      })
  void invalidSignalIsRejectedWithItsField(String body, String field) {
    var answer = report(body, SIGNAL);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).contains("\"field\":\"" + field);
  }
}
