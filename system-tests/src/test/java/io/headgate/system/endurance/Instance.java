package io.headgate.system.endurance;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.headgate.system.HeadgateProcess;
import io.headgate.testkit.Eventually;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledExecutorService;

/** One instance of the packaged program, and the drivers of its connections. */
final class Instance implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Shorter than the time after which the service closes an idle connection. */
  private static final Duration SETTLED = Duration.ofSeconds(10);

  private static final int EQUAL_POLLS = 10;
  private static final int MAX_POLLS = 60;
  private static final int PEEKS = 12;

  /** Longer than the defaults: on a busy machine, a process may get no CPU for a while. */
  private static final Map<String, String> ENVIRONMENT =
      Map.of("HEADGATE_STORE_TIMEOUT", "400ms", "HEADGATE_GRPC_DEADLINE", "20s");

  private final Path folder;
  private final List<String> jvmOptions;
  private final List<String> options;
  private final Vertx vertx;
  private final ScheduledExecutorService clock;
  private final HttpClient admin =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<PacedDriver> drivers = new ArrayList<>();
  private HeadgateProcess process;
  private int port;

  Instance(
      Path folder,
      List<String> jvmOptions,
      List<String> options,
      Vertx vertx,
      ScheduledExecutorService clock) {
    this.folder = folder;
    this.jvmOptions = jvmOptions;
    this.options = options;
    this.vertx = vertx;
    this.clock = clock;
    this.process = launch(0);
  }

  private HeadgateProcess launch(int port) {
    var args = new ArrayList<>(List.of("serve", "--port", Integer.toString(port)));
    args.addAll(List.of("--rules", folder.resolve("rules.yaml").toString()));
    args.addAll(List.of("--data", folder.resolve("data").toString()));
    args.addAll(options);
    return new HeadgateProcess(folder, new HashMap<>(ENVIRONMENT), jvmOptions, args);
  }

  void awaitReady() {
    port = process.port();
    Eventually.holds(
        "the instance is ready: " + process.err(),
        PATIENCE,
        () -> send(request("/health/ready")).statusCode() == 200);
  }

  /** Waits until the store decides. */
  void awaitStore() {
    Eventually.holds(
        "the store decides again: " + process.err(),
        PATIENCE,
        () -> gauges().get("headgate_breaker_state") == 0 && isDecidedByStore());
  }

  /** Peeks at several counters, which are on all nodes of a cluster. */
  private boolean isDecidedByStore() throws IOException, InterruptedException {
    for (int i = 0; i < PEEKS; i++) {
      var peek = request("/v1/peek").POST(BodyPublishers.ofString(Keys.json(Keys.of("open:", i))));
      if (!send(peek).body().contains("\"source\":\"store\"")) return false;
    }
    return true;
  }

  /** Opens the connections. */
  void connect(Map<String, Tally> tallies, SplittableRandom random) {
    for (var protocol : Protocol.values()) {
      var tally = tallies.get(protocol.title);
      drivers.add(
          new PacedDriver(protocol.open(vertx, port), tally, protocol.rate, random.split(), clock));
    }
  }

  void start() {
    drivers.forEach(PacedDriver::start);
  }

  void pause() {
    drivers.forEach(PacedDriver::pause);
  }

  /** Closes the connections, stops the process in order, and starts another on its port. */
  void replace() throws InterruptedException {
    drivers.forEach(PacedDriver::close);
    drivers.clear();
    process.terminate();
    int code = process.exitCode();
    if (code != 0) throw new AssertionError("exit code %d: %s".formatted(code, process.err()));
    process = launch(port);
  }

  /** Changes a rule that applies to no call. */
  void changeRule(int number) throws IOException, InterruptedException {
    var rule =
        """
        {"id":"changing","match":{"key":"changing:*"},"limit":{"algorithm":"fixed-window","rate":"%d/1m"}}
        """
            .formatted(number);
    var response = send(request("/v1/rules/changing").PUT(BodyPublishers.ofString(rule, UTF_8)));
    if (response.statusCode() / 100 != 2) throw new AssertionError("no change: " + response.body());
  }

  /** Returns what the instance holds, as soon as its gauges have stopped falling. */
  Resources settled() {
    var least = gauges();
    int equal = 0;
    for (int polls = 0; polls < MAX_POLLS && equal < EQUAL_POLLS; polls++) {
      sleep(100);
      var next = gauges();
      equal = Resources.excess(next, least).isEmpty() ? equal + 1 : 0;
      least = next;
    }
    return Resources.of(port, process.pid());
  }

  /** Waits until the gauges are back at a start. */
  Resources settled(Resources start) {
    try {
      Eventually.holds(
          "what was taken is given back",
          SETTLED,
          () -> Resources.excess(start.values(), gauges()).isEmpty());
    } catch (AssertionError stillHeld) {
      // The comparison reports it.
    }
    return Resources.of(port, process.pid());
  }

  Map<String, Long> gauges() {
    return Resources.gauges(port, process.pid());
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Returns the connections that the drivers have opened, by protocol, where that is not one. */
  List<String> extraConnections() {
    return drivers.stream()
        .filter(driver -> driver.calls.connections() > 1)
        .map(driver ->
            driver.protocol() + " has opened " + driver.calls.connections() + " connections")
        .toList();
  }

  /** Sends a signal to the process. */
  void signal(String name) {
    try {
      var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
      if (kill.waitFor() != 0) throw new IllegalStateException("kill -" + name + " failed");
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  String log() {
    return process.err();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(Duration.ofSeconds(30))
        .header("Content-Type", "application/json");
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return admin.send(request.build(), BodyHandlers.ofString());
  }

  @Override
  public void close() {
    drivers.forEach(PacedDriver::close);
    admin.close();
    process.close();
  }

  /** The protocols, with the rate of their calls at one instance. */
  enum Protocol {
    RATE_LIMIT("RLS", 200),
    QUOTA("RLQS", 20),
    HTTP_1("HTTP/1.1", 60),
    HTTP_2("HTTP/2", 60),
    EVENTS("event streams", 4),
    RESERVATIONS("reservations", 5),
    SLOTS("slots", 40),
    LEASES("leases", 40),
    CLIENT("Java client", 60);

    final String title;
    final double rate;

    Protocol(String title, double rate) {
      this.title = title;
      this.rate = rate;
    }

    Calls open(Vertx vertx, int port) {
      return switch (this) {
        case RATE_LIMIT -> new RateLimitCalls(grpc(port));
        case QUOTA -> new QuotaReports(grpc(port));
        case HTTP_1 -> http(vertx, port, HttpVersion.HTTP_1_1, HttpCalls::check);
        case HTTP_2 -> http(vertx, port, HttpVersion.HTTP_2, HttpCalls::check);
        case EVENTS -> new EventStreams(vertx, port);
        case RESERVATIONS -> http(vertx, port, HttpVersion.HTTP_2, HttpCalls::reservation);
        case SLOTS -> http(vertx, port, HttpVersion.HTTP_1_1, HttpCalls::slot);
        case LEASES -> http(vertx, port, HttpVersion.HTTP_2, HttpCalls::lease);
        case CLIENT -> new ClientCalls(port);
      };
    }

    private static ManagedChannel grpc(int port) {
      return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    }

    private static Calls http(Vertx vertx, int port, HttpVersion version, HttpCalls.Kind kind) {
      return new HttpCalls(new HttpChannel(vertx, port, version), kind);
    }
  }
}
