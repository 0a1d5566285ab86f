package io.headgate.examples.llm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LlmGatewayTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Ticker STILL = () -> 1_800_000_000_000_000L; // nothing is refilled

  private final HttpClient http = HttpClient.newHttpClient();
  private RateLimiter limiter;
  private TestModel model;
  private LlmGateway gateway;

  private void start(int words) throws Exception {
    var rules = RuleSet.of(RuleFile.read(Path.of("rules.yaml")));
    limiter = RateLimiter.with(MemoryStore.create(STILL, 1_000), rules, STILL);
    model = new TestModel(words);
    gateway = new LlmGateway(limiter, model.uri(), Map.of("key-a", "a", "key-b", "b"), 0);
  }

  @AfterEach
  void stop() {
    gateway.close();
    model.close();
    limiter.close();
    http.close();
  }

  @Test
  void realUsageIsChargedAndTheRestComesBack() throws Exception {
    start(90);
    var answer = ask("key-a", "\"max_tokens\":4000");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(JSON.readTree(answer.body()).at("/usage/total_tokens").asInt()).isEqualTo(100);
    assertThat(answer.headers().firstValue("x-ratelimit-limit-tokens")).hasValue("10000");
    assertThat(answer.headers().firstValue("x-ratelimit-remaining-requests")).hasValue("59");
    assertThat(tokensLeft("a")).isEqualTo(9_900);
  }

  /** Each call uses 2,000 tokens, so that 50 at once would use 100,000 of 10,000. */
  @Test
  void parallelCallsNeverExceedTheLimit() throws Exception {
    start(1_990);
    var calls = new ArrayList<Callable<Integer>>();
    for (int i = 0; i < 50; i++) calls.add(() -> ask("key-a", "\"max_tokens\":1990").statusCode());
    long passed = 0;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var call : threads.invokeAll(calls)) if (call.get() == 200) passed++;
    }
    assertThat(passed).isEqualTo(5);
    assertThat(model.produced.get()).isEqualTo(10_000);
    assertThat(tokensLeft("a")).isZero();
  }

  @Test
  void deniedCallSaysWhenToTryAgain() throws Exception {
    start(10);
    limiter.charge(new Request(Subject.of(Map.of("team", "a")), 0, Map.of("tokens", 9_990L)));
    var denied = ask("key-a", "\"max_tokens\":100");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(JSON.readTree(denied.body()).at("/error/code").asText())
        .isEqualTo("rate_limit_exceeded");
    assertThat(denied.headers().firstValueAsLong("retry-after").orElse(0)).isPositive();
    assertThat(ask("key-b", "\"max_tokens\":100").statusCode()).as("another team").isEqualTo(200);
  }

  @Test
  void streamIsForwardedAndSettledByItsUsage() throws Exception {
    start(50);
    var answer = ask("key-a", "\"max_tokens\":500,\"stream\":true");
    assertThat(answer.body().lines().filter(line -> line.contains("\"word\""))).hasSize(50);
    assertThat(answer.body()).endsWith("data: [DONE]\n\n");
    assertThat(tokensLeft("a")).isEqualTo(9_940);
  }

  /** The model ignores max_tokens, and other calls have used up the limit. */
  @Test
  void streamEndsWhenTheLimitIsUsedUp() throws Exception {
    start(5_000);
    limiter.charge(new Request(Subject.of(Map.of("team", "a")), 0, Map.of("tokens", 9_000L)));
    var answer = ask("key-a", "\"max_completion_tokens\":900,\"stream\":true");
    assertThat(answer.body()).contains("\"finish_reason\":\"length\"").endsWith("data: [DONE]\n\n");
    assertThat(answer.body().lines().filter(line -> line.contains("\"word\"")).count())
        .isBetween(900L, 1_100L);
    assertThat(tokensLeft("a")).isZero();
  }

  @Test
  void failedCallCostsNothing() throws Exception {
    start(10);
    model.close();
    assertThat(ask("key-a", "\"max_tokens\":100").statusCode()).isEqualTo(502);
    assertThat(tokensLeft("a")).isEqualTo(10_000);
    assertThat(ask("no-key", "\"max_tokens\":1").statusCode()).isEqualTo(401);
    assertThat(send("key-a", "{\"model\":7}").statusCode()).isEqualTo(400);
  }

  @Test
  void openAiClientReadsAnswersStreamsAndDenials() throws Exception {
    start(90);
    var lines = openAi("100");
    assertThat(lines.get(0).get("finish").asText()).isEqualTo("stop");
    assertThat(lines.get(0).get("tokens").asInt()).isEqualTo(100);
    assertThat(lines.get(0).get("remaining").asInt()).isPositive();
    assertThat(lines.get(1).get("words").asInt()).isEqualTo(90);
    assertThat(lines.get(1).get("finish").asText()).isEqualTo("stop");
    limiter.charge(new Request(Subject.of(Map.of("team", "a")), 0, Map.of("tokens", 10_000L)));
    var denied = openAi("100").getFirst();
    assertThat(denied.get("type").asText()).isEqualTo("RateLimitError");
    assertThat(denied.get("code").asText()).isEqualTo("rate_limit_exceeded");
  }

  @Test
  void programListensOrPrintsItsUsage() throws Exception {
    start(10);
    var listening = program("rules.yaml", "0");
    try (var out = listening.inputReader()) {
      assertThat(out.readLine()).matches("listening on http://127.0.0.1:\\d+/v1");
    } finally {
      listening.destroyForcibly();
    }
    var without = program();
    try (var err = without.errorReader()) {
      assertThat(err.readLine()).startsWith("usage: LlmGateway RULES PORT");
      assertThat(without.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(without.exitValue()).isEqualTo(2);
    } finally {
      without.destroyForcibly();
    }
  }

  private static Process program(String... args) throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), LlmGateway.class.getName()));
    command.addAll(List.of(args));
    return new ProcessBuilder(command).start();
  }

  /** Runs the OpenAI client library of npm and returns the lines that it prints. */
  private List<JsonNode> openAi(String maxTokens) throws Exception {
    var client = Path.of("client");
    if (!Files.isDirectory(client.resolve("node_modules/openai"))) {
      run(client.toFile(), "npm", "ci", "--no-audit", "--no-fund");
    }
    String url = "http://127.0.0.1:" + gateway.port() + "/v1";
    var lines = new ArrayList<JsonNode>();
    for (var line :
        run(client.toFile(), "node", "ask.mjs", url, "key-a", maxTokens).lines().toList()) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  private static String run(File folder, String... command) throws Exception {
    var process =
        new ProcessBuilder(command)
            .directory(folder)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(out).isZero();
      return out;
    } finally {
      process.destroyForcibly();
    }
  }

  private HttpResponse<String> ask(String key, String options) throws Exception {
    return send(
        key,
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]," + options + "}");
  }

  private HttpResponse<String> send(String key, String body) throws Exception {
    var request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + gateway.port() + "/v1/chat/completions"))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    return http.send(request, BodyHandlers.ofString());
  }

  private long tokensLeft(String team) {
    return limiter
        .peek(new Request(Subject.of(Map.of("team", team)), 0, Map.of("tokens", 0L)))
        .limits()
        .stream()
        .filter(limit -> limit.name().equals("tokens"))
        .findFirst()
        .orElseThrow()
        .remaining();
  }
}
