package io.headgate.benchmarks;

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
 * Compares the service with a server that does nothing, by turns, so that both see the same
 * weather.
 */
final class Http {
  private static final int CONNECTIONS = 64;
  private static final String PATH = "/v1/check";
  private static final String QUESTION = "{\"key\":\"user:42\"}";
  private static final String RULES =
      """
      rules:
        - id: per-user
          match: { key: "user:*" }
          limit: { algorithm: token-bucket, rate: 1000000000/1s }
      """;

  private Http() {}

  private static final class Tally {
    final List<Double> perSecond = new ArrayList<>();
    final List<Double> cpuMicros = new ArrayList<>();

    void add(Turn turn) {
      perSecond.add(turn.perSecond());
      cpuMicros.add(turn.cpuMicros());
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
  }

  static String report(Lab lab) throws IOException, InterruptedException {
    if (!Wrk.isInstalled()) {
      throw new IllegalStateException(
          "wrk is needed; install it (Debian's package: wrk) and try again");
    }
    var directory = Files.createTempDirectory("headgate-http");
    try {
      Files.writeString(directory.resolve("rules.yaml"), RULES);
      return compare(lab, directory);
    } finally {
      Files.deleteIfExists(directory.resolve("rules.yaml"));
      Files.deleteIfExists(directory.resolve("post.lua"));
      Files.deleteIfExists(directory);
    }
  }

  private static String compare(Lab lab, Path directory) throws IOException, InterruptedException {
    try (var headgate = new HttpServer(headgate(lab), directory)) {
      var answer = ask(headgate);
      try (var bare = new HttpServer(bare(answer), directory)) {
        requireLike(answer, ask(bare));
        var wrk = Wrk.posting(QUESTION, directory, CONNECTIONS);
        var ofHeadgate = new Tally();
        var ofBare = new Tally();
        int rounds = lab.effort().httpRounds;
        lab.progress().say("  warming up both");
        wrk.run(bare.address() + PATH, lab.effort().httpWarmUpSeconds);
        wrk.run(headgate.address() + PATH, lab.effort().httpWarmUpSeconds);
        for (int round = 0; round < rounds; round++) {
          ofBare.add(turn(lab, "bare Vert.x", bare, wrk));
          ofHeadgate.add(turn(lab, "Headgate", headgate, wrk));
        }
        return told(lab, ofHeadgate, ofBare, answer.body().length());
      }
    }
  }

  private record Turn(double perSecond, double cpuMicros) {}

  private static Turn turn(Lab lab, String name, HttpServer server, Wrk wrk)
      throws IOException, InterruptedException {
    var before = cpu(server);
    var load = wrk.run(server.address() + PATH, lab.effort().httpSeconds);
    double cpuMicros = cpu(server).minus(before).toNanos() / 1e3 / load.requests();
    lab.progress()
        .say(
            String.format(
                Locale.ROOT,
                "  %s: %,.0f requests/s, %.1f µs of CPU each",
                name,
                load.perSecond(),
                cpuMicros));
    return new Turn(load.perSecond(), cpuMicros);
  }

  private static String told(Lab lab, Tally headgate, Tally bare, int bodyLength) {
    var table = new Table("", "requests a second", "", "CPU µs a request", "");
    table.row("bare Vert.x", bare.rate().toString(), "", bare.cpu().toString(), "");
    table.row(
        "**Headgate**, `POST /v1/check`",
        headgate.rate().toString(),
        headgate.rate().times(bare.rate()),
        headgate.cpu().toString(),
        headgate.cpu().times(bare.cpu()));
    return """
    `POST /v1/check` of the service (memory store, one rule that never denies) against a Vert.x server
    with the same options and event loops, which reads the request and returns what the service
    returned to the first one, headers and %d bytes of body, as a constant. wrk, one thread and %d
    connections that are kept, on the same machine: it takes CPU from both alike. Medians of %d rounds
    of %d s, the servers by turns. CPU is that of the server's process.

    %s\
    """
        .formatted(
            bodyLength, CONNECTIONS, lab.effort().httpRounds, lab.effort().httpSeconds, table);
  }

  private static Duration cpu(HttpServer server) {
    return server
        .cpu()
        .orElseThrow(() -> new IllegalStateException("the system does not tell CPU times"));
  }

  private static List<String> headgate(Lab lab) {
    var jar = lab.root().resolve("server/target/headgate.jar");
    var command = java();
    command.addAll(List.of("-jar", jar.toString(), "serve", "--port", "0"));
    command.addAll(List.of("--rules", "rules.yaml", "--rules-mode", "file"));
    return command;
  }

  private static List<String> bare(HttpResponse<String> answer) {
    var command = java();
    command.addAll(List.of("-cp", Lab.classPath(), BareServer.class.getName(), answer.body()));
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
    command.add(Lab.java());
    command.addAll(Lab.quietly());
    if (Runtime.version().feature() >= 25) command.add("-XX:+UseCompactObjectHeaders");
    return command;
  }

  private static HttpResponse<String> ask(HttpServer server)
      throws IOException, InterruptedException {
    try (var client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(server.address() + PATH))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(QUESTION))
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
