package io.headgate.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.server.cli.Main;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.testkit.net.TestCertificates;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the packaged program. */
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

  private static String[] withUrl(int port, String... args) {
    var all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--url";
    all[args.length + 1] = "http://127.0.0.1:" + port;
    return all;
  }

  /**
   * Runs a command that calls a service in this JVM, and returns its exit code. The tests that
   * examine the commands themselves start a process.
   */
  private int run(int port, String... args) {
    var output = new PrintWriter(new StringWriter());
    return Main.run(
        new CommandContext(Map.of(), folder, output, output, false), withUrl(port, args));
  }

  private int checkInAProcess(int port, String... args) throws InterruptedException {
    var all = new ArrayList<>(List.of("check"));
    all.addAll(List.of(args));
    try (var check = headgate(withUrl(port, all.toArray(String[]::new)))) {
      return check.exitCode();
    }
  }

  @Test
  void startsServesAndStopsGracefully() throws Exception {
    try (var service = headgate("serve", "--port", "0")) {
      int port = service.port();
      assertThat(service.out())
          .startsWith("Headgate listens on http://127.0.0.1:" + port + "\n")
          .contains("  store  memory, at most 1,000,000 keys\n")
          .contains("  rules  6 examples, since --rules is not given")
          .endsWith("  kept   h2:./headgate-data/headgate, revision 1\n");
      assertThat(get(port, "/health/ready").body())
          .startsWith("{\"status\":\"ready\",\"rules\":6,");
      assertThat(checkInAProcess(port, "user:42", "--cost", "200")).isEqualTo(0);
      assertThat(checkInAProcess(port, "user:42", "--cost", "200")).isEqualTo(1);
      assertThat(checkInAProcess(port, "user:42", "--cost", "-1")).isEqualTo(2);
      service.terminate();
      assertThat(service.exitCode()).isEqualTo(0);
      assertThat(service.err()).contains("INFO  stopping", "INFO  stopped");
    }
  }

  @Test
  void warmUpEndsBeforeListeningAndIsNotCounted() throws Exception {
    var environment = Map.of("HEADGATE_WARM_UP", "2s");
    try (var service = new HeadgateProcess(folder, environment, "serve", "--port", "0")) {
      int port = service.port();
      assertThat(service.err()).containsPattern("(warmed up in|ended the warm-up after) \\d+ ms");
      assertThat(get(port, "/metrics").body())
          .contains("headgate_tracked_keys 0")
          .doesNotContainPattern("headgate_decisions_total\\{.*\\} [1-9]");
      assertThat(get(port, "/v1/callers").body()).doesNotContain("u1", "user:1");
    }
  }

  @Test
  void errorThatPreventsTheStartIsJsonWithoutATerminal() throws Exception {
    try (var service =
        new HeadgateProcess(folder, Map.of("HEADGATE_LOG_FORMAT", ""), "serve", "--prt", "0")) {
      assertThat(service.exitCode()).isEqualTo(2);
      assertThat(service.err().lines()).hasSize(1);
      var error = JsonReply.read(service.err());
      assertThat(error.at("level").text()).isEqualTo("ERROR");
      assertThat(error.at("message").text()).startsWith("Unknown options: '--prt', '0'");
    }
  }

  @Test
  void logIsJsonWithoutATerminal() throws Exception {
    try (var service =
        new HeadgateProcess(folder, Map.of("HEADGATE_LOG_FORMAT", ""), "serve", "--port", "0")) {
      int port = service.port();
      service.terminate();
      assertThat(service.exitCode()).isEqualTo(0);
      assertThat(service.out().lines()).hasSize(1);
      var banner = JsonReply.read(service.out());
      assertThat(banner.at("message").text())
          .isEqualTo("Headgate listens on http://127.0.0.1:" + port);
      assertThat(banner.at("url").text()).isEqualTo("http://127.0.0.1:" + port);
      assertThat(banner.at("store").text()).isEqualTo("memory, at most 1,000,000 keys");
      assertThat(banner.at("rules").text()).startsWith("6 examples");
      assertThat(service.err().lines()).hasSizeGreaterThanOrEqualTo(2);
      for (var line : (service.out() + service.err()).lines().toList()) {
        var json = JsonReply.read(line);
        assertThat(json.at("time").text()).matches("\\d{4}-\\d\\d-\\d\\dT[\\d:]{8}\\.\\d{3}Z");
        assertThat(json.at("level").text()).matches("INFO|WARN");
        assertThat(json.at("logger").text()).startsWith("io.headgate.");
        assertThat(json.at("message").text()).isNotEmpty();
      }
    }
  }

  @Test
  void waitingRequestIsAnsweredDuringShutdown() throws Exception {
    Files.writeString(
        folder.resolve("rules.yaml"),
        "rules: [{ id: line, limit: { algorithm: leaky-bucket, rate: 1/3s, queue: 9 } }]");
    try (var service = headgate("serve", "--port", "0", "--rules", "rules.yaml")) {
      int port = service.port();
      assertThat(service.out()).contains("  rules  1 from rules.yaml, reloaded on change\n");
      client.send(check(port, "{\"key\":\"k\"}"), BodyHandlers.ofString());
      var waiting =
          client.sendAsync(check(port, "{\"key\":\"k\",\"wait\":true}"), BodyHandlers.ofString());
      await().until(() -> queueSlotsLeft(port) == 8);
      service.terminate();
      assertThat(waiting.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      assertThat(service.exitCode()).isEqualTo(0);
    }
  }

  /** Returns the free slots of the queue, with a check of cost 0, which takes none. */
  private long queueSlotsLeft(int port) throws IOException, InterruptedException {
    var answer = client.send(check(port, "{\"key\":\"k\",\"cost\":0}"), BodyHandlers.ofString());
    return JsonReply.read(answer.body()).at("remaining").number();
  }

  @Test
  void changedRulesAreReloadedAndInvalidOnesIgnored() throws Exception {
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
          .contains("The previous rules stay in force.");
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
  void rulesSurviveARestartInTheDatabase() throws Exception {
    Files.writeString(
        folder.resolve("rules.yaml"),
        "[{ id: a, limit: { algorithm: fixed-window, rate: 9/1h } }]");
    try (var service = headgate("serve", "--port", "0", "--rules", "rules.yaml")) {
      awaitRules(service.port(), 1);
      service.terminate();
      assertThat(service.exitCode()).isEqualTo(0);
    }
    assertThat(folder.resolve("headgate-data/last-good-rules.json")).exists();
    try (var service = headgate("serve", "--port", "0")) {
      awaitRules(service.port(), 1);
      assertThat(service.out())
          .contains("  rules  1, by file rules.yaml\n")
          .contains("  kept   h2:./headgate-data/headgate, revision 1\n");
    }
  }

  @Test
  void ignoredFileIsAnnouncedWithBothWaysToUseIt() throws Exception {
    Files.writeString(
        folder.resolve("rules.yaml"),
        "[{ id: a, limit: { algorithm: fixed-window, rate: 9/1h } }]");
    try (var service = headgate("serve", "--port", "0", "--rules", "rules.yaml")) {
      assertThat(run(service.port(), "rules", "delete", "a", "--author", "ann")).isEqualTo(0);
      service.terminate();
      assertThat(service.exitCode()).isEqualTo(0);
    }
    try (var service = headgate("serve", "--port", "0", "--rules", "rules.yaml")) {
      int port = service.port();
      assertThat(service.out())
          .contains(
              """
                rules  0, by ann; rules.yaml is ignored, since the rules were changed by other means
                       to use it once:   ./headgate rules apply rules.yaml
                       to always use it: ./headgate serve --rules rules.yaml --rules-mode file
              """);
      var ready = JsonReply.read(get(port, "/health/ready").body());
      assertThat(ready.at("repository").at("ignoredFile").text())
          .contains("rules.yaml is ignored, since revision 2 by ann", "--rules-mode file");
      var stats = JsonReply.read(get(port, "/v1/stats").body());
      assertThat(stats.at("rules").at("ignoredFile").text())
          .contains("headgate rules apply", "--rules-mode file");
      assertThat(run(port, "check", "x")).isEqualTo(0);
      assertThat(run(port, "rules", "apply", "rules.yaml")).isEqualTo(0);
      assertThat(get(port, "/health/ready").body()).doesNotContain("ignoredFile");
    }
  }

  @Test
  void secondProcessCanNotOpenTheSameH2Database() throws Exception {
    try (var service = headgate("serve", "--port", "0")) {
      awaitRules(service.port(), 6);
      try (var second = headgate("serve", "--port", "0")) {
        assertThat(second.exitCode()).isEqualTo(2);
        assertThat(second.err())
            .contains("the rules database h2:./headgate-data/headgate is open in another process")
            .contains("--data", "--database postgresql://")
            .doesNotContain("warm");
      }
      try (var second = headgate("serve", "--port", "0", "--data", "elsewhere")) {
        awaitRules(second.port(), 6);
      }
    }
  }

  @Test
  void rulesModeFileUsesNoDatabase() throws Exception {
    Files.writeString(
        folder.resolve("rules.yaml"),
        "[{ id: a, limit: { algorithm: fixed-window, rate: 9/1h } }]");
    try (var service =
        headgate("serve", "--port", "0", "--rules", "rules.yaml", "--rules-mode", "file")) {
      awaitRules(service.port(), 1);
      assertThat(service.out())
          .contains("  rules  1 from rules.yaml, reloaded on change\n")
          .contains("  kept   only in that file, revision 1\n");
    }
    assertThat(folder.resolve("headgate-data")).doesNotExist();
  }

  @Test
  void invalidRulesPreventTheStartAndAreLocated() throws Exception {
    Files.writeString(folder.resolve("rules.yaml"), "rules:\n  - id: a\n    limmit: 7\n");
    try (var service = headgate("serve", "--port", "0", "--rules", "rules.yaml")) {
      assertThat(service.exitCode()).isEqualTo(2);
      assertThat(service.err()).contains("the rules are not valid:", "rules.yaml:3:");
      assertThat(service.out()).isEmpty();
    }
  }

  @Test
  void tokensOfTheEnvironmentAreUsedAndNotLogged() throws Exception {
    var tokens =
        Map.of(
            "HEADGATE_ADMIN_TOKEN",
            "s3cret-adm1n-0123",
            "HEADGATE_CHECK_TOKEN",
            "s3cret-ch3ck-0123");
    try (var service =
        new HeadgateProcess(folder, tokens, "serve", "--port", "0", "--host", "127.0.0.1")) {
      int port = service.port();
      assertThat(run(port, "check", "user:42")).isEqualTo(2);
      assertThat(run(port, "check", "user:42", "--token", "s3cret-ch3ck-0123")).isEqualTo(0);
      service.terminate();
      assertThat(service.exitCode()).isEqualTo(0);
      assertThat(service.out() + service.err()).doesNotContain("s3cret");
    }
  }

  @Test
  void tokenFileIsReloaded() throws Exception {
    var file =
        Files.writeString(
            folder.resolve("tokens"),
            "admin s3cret-1-of-the-test\ncheck s3cret-2-of-the-test shop\n");
    try (var service = headgate("serve", "--port", "0", "--token-file", "tokens")) {
      int port = service.port();
      assertThat(run(port, "check", "user:42", "--token", "s3cret-2-of-the-test")).isEqualTo(0);
      Files.writeString(file, "admin s3cret-1-of-the-test\ncheck s3cret-3-of-the-test shop\n");
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> service.err().contains("reloaded the token file after a change"));
      assertThat(run(port, "check", "user:42", "--token", "s3cret-2-of-the-test")).isEqualTo(2);
      assertThat(run(port, "check", "user:42", "--token", "s3cret-3-of-the-test")).isEqualTo(0);
      Files.writeString(file, "check s3cret-2-of-the-test\n");
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> service.err().contains("the last admin token can't be removed"));
      assertThat(run(port, "check", "user:42", "--token", "s3cret-3-of-the-test")).isEqualTo(0);
      assertThat(service.out() + service.err()).contains("1 check (shop)").doesNotContain("s3cret");
    }
  }

  @Test
  void servesTlsAndPrintsTheHttpsUrl() throws Exception {
    try (var certificates = TestCertificates.create();
        var service =
            headgate(
                "serve",
                "--port",
                "0",
                "--tls-cert",
                certificates.certificate().toString(),
                "--tls-key",
                certificates.key().toString(),
                "--trusted-proxies",
                "127.0.0.1,10.0.0.0/8");
        var trusting = HttpClient.newBuilder().sslContext(certificates.trusting()).build()) {
      int port = service.port();
      assertThat(service.out()).startsWith("Headgate listens on https://127.0.0.1:" + port + "\n");
      var uri = URI.create("https://127.0.0.1:" + port + "/health/ready");
      var answer = trusting.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
    }
  }

  @Test
  void certificateThatCanNotBeReadPreventsTheStart() throws Exception {
    try (var service =
        headgate("serve", "--port", "0", "--tls-cert", "x.pem", "--tls-key", "y.pem")) {
      assertThat(service.exitCode()).isEqualTo(2);
      assertThat(service.err()).contains("cannot serve TLS");
    }
  }

  @Test
  void tokensOfAllSourcesAreValidTogether() throws Exception {
    Files.writeString(
        folder.resolve("headgate.yaml"),
        "check-token: [s3cret-1-of-the-test, s3cret-2-of-the-test]\n");
    try (var service = headgate("serve", "--port", "0")) {
      int port = service.port();
      assertThat(run(port, "check", "user:42", "--token", "s3cret-1-of-the-test")).isEqualTo(0);
      assertThat(run(port, "check", "user:42", "--token", "s3cret-2-of-the-test")).isEqualTo(0);
      assertThat(run(port, "check", "user:42", "--token", "s3cret-3-of-the-test")).isEqualTo(2);
    }
    Files.writeString(folder.resolve("headgate.yaml"), "check-token: { a: s3cret }\n");
    try (var service = headgate("serve", "--port", "0")) {
      assertThat(service.exitCode()).isEqualTo(2);
      assertThat(service.err()).contains("check-token must be one value").doesNotContain("s3cret");
    }
  }

  @Test
  void lintNeedsNoService() throws Exception {
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
