package io.headgate.benchmarks;

import io.headgate.testkit.redis.RedisServer;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Compares the service, as it is asked in different ways, with a server that does nothing, by
 * turns, so that all see the same weather.
 */
final class Http {
  private static final int CONNECTIONS = 64;
  private static final int GRPC_CONNECTIONS = 4; // as many on their way as with the others
  private static final int CALLERS = 1_000;
  private static final int FEW_RULES = 10;
  private static final int MANY_RULES = 10_000;
  private static final String PATH = "/v1/check";
  private static final String QUESTION = "{\"key\":\"user:%d\"}";

  private Http() {}

  @FunctionalInterface
  private interface Asking {
    Load run(int seconds) throws IOException, InterruptedException;
  }

  /** One way of asking one server, and what was measured of it. */
  private static final class Subject {
    final String name;
    final HttpServer server;
    final Asking asking;
    final List<Double> perSecond = new ArrayList<>();
    final List<Double> cpuMicros = new ArrayList<>();

    Subject(String name, HttpServer server, Asking asking) {
      this.name = name;
      this.server = server;
      this.asking = asking;
    }

    void turn(BenchmarkContext lab) throws IOException, InterruptedException {
      var before = cpu(server);
      var load = asking.run(lab.effort().httpSeconds);
      double micros = cpu(server).minus(before).toNanos() / 1e3 / load.requests();
      perSecond.add(load.perSecond());
      cpuMicros.add(micros);
      lab.progress()
          .say(
              String.format(
                  Locale.ROOT,
                  "  %s: %,.0f requests/s, %.1f µs of CPU each",
                  name,
                  load.perSecond(),
                  micros));
    }

    Measurement rate() {
      return of(perSecond);
    }

    Measurement cpu() {
      return of(cpuMicros);
    }

    private static Measurement of(List<Double> seen) {
      return Measurement.of(seen.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static Duration cpu(HttpServer server) {
      return server
          .cpu()
          .orElseThrow(() -> new IllegalStateException("the system does not tell CPU times"));
    }
  }

  static String report(BenchmarkContext lab) throws IOException, InterruptedException {
    require(Wrk.isInstalled(), "wrk", "wrk");
    require(H2load.isInstalled(), "h2load", "nghttp2-client");
    var directory = Files.createTempDirectory("headgate-http");
    try {
      writeRules(directory.resolve("few.yaml"), FEW_RULES);
      writeRules(directory.resolve("many.yaml"), MANY_RULES);
      return compare(lab, directory);
    } finally {
      for (var file : List.of("few.yaml", "many.yaml", "post.lua", "message.bin")) {
        Files.deleteIfExists(directory.resolve(file));
      }
      Files.deleteIfExists(directory);
    }
  }

  private static void require(boolean installed, String program, String packaged) {
    if (installed) return;
    throw new IllegalStateException(
        "%s is needed; install it (Debian's package: %s) and try again"
            .formatted(program, packaged));
  }

  /** One that is asked about and never denies; the others are about others. */
  private static void writeRules(Path file, int count) throws IOException {
    String one =
        "  - { id: %s, match: { key: \"%s\" }, limit: { algorithm: token-bucket, rate: %s } }\n";
    var text = new StringBuilder("rules:\n");
    text.append(one.formatted("per-user", "user:*", "1000000000/1s"));
    for (int i = 1; i < count; i++) text.append(one.formatted("r" + i, "other-" + i, "1/1s"));
    Files.writeString(file, text);
  }

  private static String compare(BenchmarkContext lab, Path directory)
      throws IOException, InterruptedException {
    try (var redis = RedisServer.start();
        var few = new HttpServer(headgate(lab, "few.yaml", "memory"), directory);
        var many = new HttpServer(headgate(lab, "many.yaml", "memory"), directory);
        var remote = new HttpServer(headgate(lab, "few.yaml", redis.uri()), directory)) {
      var answer = ask(few);
      try (var bare = new HttpServer(bare(answer), directory)) {
        requireLike(answer, ask(bare));
        var wrk = Wrk.posting(QUESTION, CALLERS, directory, CONNECTIONS);
        int streams = CONNECTIONS / GRPC_CONNECTIONS;
        var h2load = H2load.sending(GrpcQuestion.framed(), directory, GRPC_CONNECTIONS, streams);
        GrpcQuestion.requireAnswered(few.address());
        var subjects =
            List.of(
                new Subject("bare Vert.x", bare, s -> wrk.run(bare.address() + PATH, s)),
                new Subject("**Headgate**, 10 rules", few, s -> wrk.run(few.address() + PATH, s)),
                new Subject("10,000 rules", many, s -> wrk.run(many.address() + PATH, s)),
                new Subject("10 rules, Redis", remote, s -> wrk.run(remote.address() + PATH, s)),
                new Subject(
                    "10 rules, gRPC", few, s -> h2load.run(few.address() + GrpcQuestion.PATH, s)));
        lab.progress().say("  warming up all");
        for (var subject : subjects) subject.asking.run(lab.effort().httpWarmUpSeconds);
        for (int round = 0; round < lab.effort().httpRounds; round++) {
          for (var subject : subjects) subject.turn(lab);
        }
        return told(lab, subjects, answer.body().length());
      }
    }
  }

  private static String told(BenchmarkContext lab, List<Subject> subjects, int bodyLength) {
    var bare = subjects.getFirst();
    var table = new Table("", "requests a second", "", "CPU µs a request", "");
    for (var subject : subjects) {
      table.row(
          subject.name,
          subject.rate().toString(),
          subject == bare ? "" : subject.rate().times(bare.rate()),
          subject.cpu().toString(),
          subject == bare ? "" : subject.cpu().times(bare.cpu()));
    }
    return """
    `POST /v1/check` of the service, %,d callers in turn, one rule that never denies applies, against a
    Vert.x server with the same options and event loops, which reads the request and returns what the
    service returned to the first one, headers and %d bytes of body, as a constant. wrk, one thread and
    %d connections that are kept, on the same machine: it takes CPU from all alike, and so does Redis,
    whose own is not counted. gRPC is Envoy's `ShouldRateLimit` with one descriptor, by h2load over %d
    connections with as many calls on their way. Medians of %d rounds of %d s, by turns. CPU is that of
    the server's process. Ratios are to the first row.

    %s\
    """
        .formatted(
            CALLERS,
            bodyLength,
            CONNECTIONS,
            GRPC_CONNECTIONS,
            lab.effort().httpRounds,
            lab.effort().httpSeconds,
            table);
  }

  private static List<String> headgate(BenchmarkContext lab, String rules, String store) {
    var jar = lab.root().resolve("server/target/headgate.jar");
    var command = java();
    command.addAll(List.of("-jar", jar.toString(), "serve", "--port", "0", "--store", store));
    command.addAll(List.of("--rules", rules, "--rules-mode", "file"));
    return command;
  }

  private static List<String> bare(HttpResponse<String> answer) {
    var command = java();
    command.addAll(
        List.of("-cp", BenchmarkContext.classPath(), BareServer.class.getName(), answer.body()));
    answer
        .headers()
        .map()
        .forEach((name, values) -> {
          if (name.equalsIgnoreCase("content-length")) return; // comes by itself
          command.add(name);
          command.add(String.join(",", values));
        });
    return command;
  }

  /** As {@code ./headgate serve} starts it. */
  private static List<String> java() {
    var command = new ArrayList<String>();
    command.add(BenchmarkContext.java());
    command.addAll(BenchmarkContext.quietly());
    if (Runtime.version().feature() >= 25) command.add("-XX:+UseCompactObjectHeaders");
    return command;
  }

  private static HttpResponse<String> ask(HttpServer server)
      throws IOException, InterruptedException {
    try (var client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(server.address() + PATH))
              .version(HttpClient.Version.HTTP_1_1)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(String.format(Locale.ROOT, QUESTION, 1)))
              .build();
      var answer = client.send(request, BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(
            "a check was answered %d: %s".formatted(answer.statusCode(), answer.body()));
      }
      return answer;
    }
  }

  private static void requireLike(HttpResponse<String> wanted, HttpResponse<String> got) {
    if (!got.body().equals(wanted.body()) || !got.headers().equals(wanted.headers())) {
      throw new IllegalStateException(
          "the bare server returns %s %s where Headgate returned %s %s"
              .formatted(got.headers(), got.body(), wanted.headers(), wanted.body()));
    }
  }
}
