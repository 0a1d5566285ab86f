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
 * Compares the service, over HTTP and gRPC, with a minimal server. The measurements alternate, so
 * that disturbances of the machine affect all alike.
 */
final class Http {
  private static final int CONNECTIONS = 64;
  private static final int GRPC_CONNECTIONS = 4; // with as many concurrent calls as the others
  private static final int CALLERS = 1_000;
  private static final int FEW_RULES = 10;
  private static final int MANY_RULES = 10_000;
  private static final String PATH = "/v1/check";
  private static final String BODY = "{\"key\":\"user:%d\"}";

  private Http() {}

  @FunctionalInterface
  private interface LoadGenerator {
    Load run(int seconds) throws IOException, InterruptedException;
  }

  /** One server with a load generator and its measurements. */
  private static final class Subject {
    final String name;
    final HttpServer server;
    final LoadGenerator load;
    final List<Double> perSecond = new ArrayList<>();
    final List<Double> cpuMicros = new ArrayList<>();

    Subject(String name, HttpServer server, LoadGenerator load) {
      this.name = name;
      this.server = server;
      this.load = load;
    }

    void turn(BenchmarkContext context) throws IOException, InterruptedException {
      var before = cpu(server);
      var result = load.run(context.effort().httpSeconds);
      double micros = cpu(server).minus(before).toNanos() / 1e3 / result.requests();
      perSecond.add(result.perSecond());
      cpuMicros.add(micros);
      context
          .progress()
          .log(
              String.format(
                  Locale.ROOT,
                  "  %s: %,.0f requests/s, %.1f µs of CPU each",
                  name,
                  result.perSecond(),
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
          .orElseThrow(
              () -> new IllegalStateException("the operating system does not report CPU times"));
    }
  }

  static String report(BenchmarkContext context) throws IOException, InterruptedException {
    require(Wrk.isInstalled(), "wrk", "wrk");
    require(H2load.isInstalled(), "h2load", "nghttp2-client");
    var directory = Files.createTempDirectory("headgate-http");
    try {
      writeRules(directory.resolve("few.yaml"), FEW_RULES);
      writeRules(directory.resolve("many.yaml"), MANY_RULES);
      return compare(context, directory);
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

  /** Writes one rule that applies and never denies, and others that do not apply. */
  private static void writeRules(Path file, int count) throws IOException {
    String one =
        "  - { id: %s, match: { key: \"%s\" }, limit: { algorithm: token-bucket, rate: %s } }\n";
    var text = new StringBuilder("rules:\n");
    text.append(one.formatted("per-user", "user:*", "1000000000/1s"));
    for (int i = 1; i < count; i++) text.append(one.formatted("r" + i, "other-" + i, "1/1s"));
    Files.writeString(file, text);
  }

  private static String compare(BenchmarkContext context, Path directory)
      throws IOException, InterruptedException {
    try (var redis = RedisServer.start();
        var few = new HttpServer(headgate(context, "few.yaml", "memory"), directory);
        var many = new HttpServer(headgate(context, "many.yaml", "memory"), directory);
        var remote = new HttpServer(headgate(context, "few.yaml", redis.uri()), directory)) {
      var reply = check(few);
      try (var bare = new HttpServer(bare(reply), directory)) {
        requireLike(reply, check(bare));
        var wrk = Wrk.posting(BODY, CALLERS, directory, CONNECTIONS);
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
        context.progress().log("  warming up all");
        for (var subject : subjects) subject.load.run(context.effort().httpWarmUpSeconds);
        for (int round = 0; round < context.effort().httpRounds; round++) {
          for (var subject : subjects) subject.turn(context);
        }
        return markdown(context, subjects, reply.body().length());
      }
    }
  }

  private static String markdown(BenchmarkContext context, List<Subject> subjects, int bodyLength) {
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
    `POST /v1/check` of the service for %,d callers in turn; one rule that never denies applies. Bare Vert.x
    is a server with the same options and event loops, which reads the request and returns the service's
    response, headers and %d bytes of body, as a constant. The load is wrk with one thread and %d keep-alive
    connections on the same machine, which takes CPU from all alike. So does Redis, whose CPU is not
    counted. gRPC is Envoy's `ShouldRateLimit` with one descriptor, by h2load over %d connections with as
    many concurrent calls. Medians of %d alternating rounds of %d s. CPU is that of the server's process.
    Ratios are to the first row.

    %s\
    """
        .formatted(
            CALLERS,
            bodyLength,
            CONNECTIONS,
            GRPC_CONNECTIONS,
            context.effort().httpRounds,
            context.effort().httpSeconds,
            table);
  }

  private static List<String> headgate(BenchmarkContext context, String rules, String store) {
    var jar = context.root().resolve("server/target/headgate.jar");
    var command = java();
    command.addAll(List.of("-jar", jar.toString(), "serve", "--port", "0", "--store", store));
    command.addAll(List.of("--rules", rules, "--rules-mode", "file"));
    return command;
  }

  private static List<String> bare(HttpResponse<String> reply) {
    var command = java();
    command.addAll(
        List.of("-cp", BenchmarkContext.classPath(), BareServer.class.getName(), reply.body()));
    reply
        .headers()
        .map()
        .forEach((name, values) -> {
          if (name.equalsIgnoreCase("content-length")) return; // set by the server
          command.add(name);
          command.add(String.join(",", values));
        });
    return command;
  }

  /** Returns the JVM command with the options of {@code ./headgate serve}. */
  private static List<String> java() {
    var command = new ArrayList<String>();
    command.add(BenchmarkContext.java());
    command.addAll(BenchmarkContext.jvmOptions());
    if (Runtime.version().feature() >= 25) command.add("-XX:+UseCompactObjectHeaders");
    return command;
  }

  private static HttpResponse<String> check(HttpServer server)
      throws IOException, InterruptedException {
    try (var client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(server.address() + PATH))
              .version(HttpClient.Version.HTTP_1_1)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(String.format(Locale.ROOT, BODY, 1)))
              .build();
      var reply = client.send(request, BodyHandlers.ofString());
      if (reply.statusCode() != 200) {
        throw new IllegalStateException(
            "a check returned status %d: %s".formatted(reply.statusCode(), reply.body()));
      }
      return reply;
    }
  }

  private static void requireLike(HttpResponse<String> expected, HttpResponse<String> actual) {
    if (!actual.body().equals(expected.body()) || !actual.headers().equals(expected.headers())) {
      throw new IllegalStateException(
          "the bare server returns %s %s where Headgate returned %s %s"
              .formatted(actual.headers(), actual.body(), expected.headers(), expected.body()));
    }
  }
}
