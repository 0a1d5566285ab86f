package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as it is delivered. */
class HeadgateIT {
  @TempDir Path folder;

  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void hangUp() {
    client.close();
  }

  private HeadgateProcess headgate(String... args) {
    return new HeadgateProcess(folder, Map.of(), args);
  }

  private static HttpRequest.Builder request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  private HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
    return client.send(request(port, path).build(), BodyHandlers.ofString());
  }

  private static HttpRequest check(int port, String body) {
    return request(port, "/v1/check").POST(BodyPublishers.ofString(body)).build();
  }

  private long checks(int port, String... args) throws InterruptedException {
    var all = new String[args.length + 3];
    all[0] = "check";
    System.arraycopy(args, 0, all, 1, args.length);
    all[all.length - 2] = "--url";
    all[all.length - 1] = "http://127.0.0.1:" + port;
    try (var check = headgate(all)) {
      return check.exitCode();
    }
  }

  @Test
  void itSaysWhereItListensAnswersAndEndsInGoodOrder() throws Exception {
    try (var service = headgate("serve", "--port", "0")) {
      int port = service.port();
      assertThat(service.out())
          .startsWith("Headgate listens on http://127.0.0.1:" + port + "\n")
          .contains("  store  memory, at most 1,000,000 keys\n")
          .contains("  rules  6 examples, for want of --rules");
      assertThat(get(port, "/health/ready").body())
          .startsWith("{\"status\":\"ready\",\"rules\":6,");
      assertThat(checks(port, "user:42", "--cost", "200")).isEqualTo(0);
      assertThat(checks(port, "user:42", "--cost", "200")).isEqualTo(1);
      assertThat(checks(port, "user:42", "--cost", "-1")).isEqualTo(2);
      service.terminate();
      assertThat(service.exitCode()).isEqualTo(0);
      assertThat(service.err()).contains("INFO  stopping", "INFO  stopped");
    }
  }

  @Test
  void whereNobodyWatchesTheLogIsOneJsonObjectALine() throws Exception {
    try (var service =
        new HeadgateProcess(folder, Map.of("HEADGATE_LOG_FORMAT", ""), "serve", "--port", "0")) {
      service.port();
      service.terminate();
      assertThat(service.exitCode()).isEqualTo(0);
      var lines = service.err().lines().toList();
      assertThat(lines).hasSizeGreaterThanOrEqualTo(2);
      for (var line : lines) {
        assertThat(Json.read(line))
            .isInstanceOfSatisfying(
                Json.Members.class,
                said ->
                    assertThat(said.all())
                        .containsKeys("timestamp", "level", "loggerName", "formattedMessage"));
      }
    }
  }

  @Test
  void whoWaitsWhenItIsToldToEndIsStillAnswered() throws Exception {
    Files.writeString(
        folder.resolve("rules.yaml"),
        "rules: [{ id: line, limit: { algorithm: leaky-bucket, rate: 1/3s, queue: 9 } }]");
    try (var service = headgate("serve", "--port", "0", "--rules", "rules.yaml")) {
      int port = service.port();
      assertThat(service.out()).contains("  rules  1 from rules.yaml, followed\n");
      client.send(check(port, "{\"key\":\"k\"}"), BodyHandlers.ofString());
      var waiting =
          client.sendAsync(check(port, "{\"key\":\"k\",\"wait\":true}"), BodyHandlers.ofString());
      await().until(() -> placesLeft(port) == 8);
      service.terminate();
      assertThat(waiting.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      assertThat(service.exitCode()).isEqualTo(0);
    }
  }

  /** How many places are left in the line, by a cost of 0, which takes none. */
  private long placesLeft(int port) throws IOException, InterruptedException {
    var answer = client.send(check(port, "{\"key\":\"k\",\"cost\":0}"), BodyHandlers.ofString());
    return Json.read(answer.body()).at("remaining").number();
  }

  @Test
  void itFollowsItsRulesAndKeepsTheLastGoodOnes() throws Exception {
    var rules = folder.resolve("rules.yaml");
    String rule = "- { id: %s, limit: { algorithm: fixed-window, rate: 9/1h } }\n";
    Files.writeString(rules, rule.formatted("a"));
    try (var service = headgate("serve", "--port", "0", "--rules", "rules.yaml")) {
      int port = service.port();
      Files.writeString(rules, rule.formatted("a") + rule.formatted("b"));
      awaitRules(port, 2);
      Files.writeString(rules, rule.formatted("a") + "- { id: b, limmit: 7 }\n");
      await().atMost(Duration.ofSeconds(30)).until(() -> service.err().contains("limmit"));
      assertThat(service.err())
          .contains("rules.yaml has changed: 2 rules in force")
          .contains("rules.yaml is not valid:")
          .contains("The rules that were in force stay so.");
      awaitRules(port, 2);
      Files.writeString(rules, rule.formatted("c"));
      awaitRules(port, 1);
    }
  }

  private void awaitRules(int port, int count) {
    String ready = "{\"status\":\"ready\",\"rules\":" + count + ",";
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> get(port, "/health/ready").body().startsWith(ready));
  }

  @Test
  void itRefusesToStartWithBadRulesAndNamesTheirPlace() throws Exception {
    Files.writeString(folder.resolve("rules.yaml"), "rules:\n  - id: a\n    limmit: 7\n");
    try (var service = headgate("serve", "--port", "0", "--rules", "rules.yaml")) {
      assertThat(service.exitCode()).isEqualTo(2);
      assertThat(service.err()).contains("the rules are not valid:", "rules.yaml:3:");
      assertThat(service.out()).isEmpty();
    }
  }

  @Test
  void itTakesTokensFromTheEnvironmentAndKeepsThemToItself() throws Exception {
    var tokens = Map.of("HEADGATE_ADMIN_TOKEN", "s3cret-adm1n", "HEADGATE_CHECK_TOKEN", "s3cret");
    try (var service =
        new HeadgateProcess(folder, tokens, "serve", "--port", "0", "--host", "127.0.0.1")) {
      int port = service.port();
      assertThat(checks(port, "user:42")).isEqualTo(2);
      assertThat(checks(port, "user:42", "--token", "s3cret")).isEqualTo(0);
      service.terminate();
      assertThat(service.exitCode()).isEqualTo(0);
      assertThat(service.out() + service.err()).doesNotContain("s3cret");
    }
  }

  @Test
  void itLintsWithoutAService() throws Exception {
    try (var example = headgate("rules", "example")) {
      assertThat(example.exitCode()).isEqualTo(0);
      Files.writeString(folder.resolve("mine.yaml"), example.out());
    }
    try (var lint = headgate("rules", "lint", "mine.yaml")) {
      assertThat(lint.exitCode()).isEqualTo(0);
      assertThat(lint.out()).isEqualTo("mine.yaml: 6 rules, no problems\n");
    }
  }
}
