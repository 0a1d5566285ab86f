package io.headgate.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.ScratchDirectory;
import io.headgate.testkit.net.FreePorts;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Tests the example of quotas with real Envoys, Headgate in a process of its own, and a Redis. */
@EnabledIfEnvironmentVariable(
    named = "HEADGATE_ENVOY",
    matches = ".+",
    disabledReason = "HEADGATE_ENVOY does not name an Envoy binary")
class EnvoyQuotaTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration RUN =
      Duration.ofSeconds(Integer.getInteger("headgate.envoy.seconds", 25));

  /** The limit of the example's rules. */
  private static final Rate RATE = Rate.of(600, Duration.ofMinutes(1));

  private final ScratchDirectory directory = ScratchDirectory.create("headgate-envoy-quota-");
  private RedisServer redis;
  private HttpServer application;

  @BeforeEach
  void start() throws IOException {
    redis = RedisServer.start();
    application = HttpServer.create(new InetSocketAddress(FreePorts.loopback(), 0), 0);
    application.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    application.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    application.start();
  }

  @AfterEach
  void stop() {
    application.stop(0);
    redis.close();
    directory.close();
  }

  private HeadgateInstance headgate(Path rules) {
    return new HeadgateInstance(rules, redis.uri(), Duration.ofSeconds(4));
  }

  private Path rules(String rate) throws IOException {
    return Files.writeString(
        directory.resolve("rules.yaml"),
        """
        rules:
          - id: per-tenant
            match: { domain: shop, descriptor: tenant, tenant: "*" }
            limit: { algorithm: token-bucket, rate: %s }
        """
            .formatted(rate));
  }

  private EnvoyProcess envoy(HeadgateInstance headgate, UnaryOperator<String> change) {
    return EnvoyProcess.startWithQuotas(
        application.getAddress().getPort(), headgate.port(), change);
  }

  private static String withoutFilter(String configuration) {
    int from = configuration.indexOf("- name: envoy.filters.http.rate_limit_quota");
    int to = configuration.indexOf("- name: envoy.filters.http.router");
    return configuration.substring(0, from) + configuration.substring(to);
  }

  private static HttpRequest request(int port) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
        .header("x-tenant", "a")
        .build();
  }

  private static int status(HttpClient client, int port) throws IOException {
    try {
      return client.send(request(port), BodyHandlers.discarding()).statusCode();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static HttpClient client() {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  private static void report(String scenario, Object figures) {
    System.out.printf("ENVOY %s: %s%n", scenario, figures);
  }

  @Test
  void envoyAcceptsTheExampleAsItIs() throws IOException {
    assertThat(EnvoyProcess.validate("rlqs.yaml")).contains("configuration").contains(" OK");
  }

  @Test
  void threeEnvoysAdmitAtMostTheLimitOfTheExample() throws InterruptedException {
    var admissions = Collections.synchronizedList(new ArrayList<Long>());
    long start = System.nanoTime();
    try (var one = headgate(EnvoyProcess.EXAMPLES.resolve("rlqs-rules.yaml"));
        var other = headgate(EnvoyProcess.EXAMPLES.resolve("rlqs-rules.yaml"));
        var first = envoy(one, UnaryOperator.identity());
        var second = envoy(one, UnaryOperator.identity());
        var third = envoy(other, UnaryOperator.identity())) {
      var threads = new ArrayList<Thread>();
      var perSecond = new int[] {60, 30, 15};
      var ports = List.of(first.port(), second.port(), third.port());
      for (int i = 0; i < perSecond.length; i++) {
        int port = ports.get(i);
        long pause = Duration.ofSeconds(1).toNanos() / perSecond[i];
        threads.add(Thread.ofPlatform().start(() -> send(port, pause, start, admissions)));
      }
      for (var thread : threads) thread.join();
    }
    Collections.sort(admissions);
    report(
        "three Envoys, two instances, 105 requests a second against 600 a minute, admitted in %s"
            .formatted(RUN),
        admissions.size());
    assertThat(admissions).hasSizeGreaterThan(400);
    assertWithinLimit(admissions);
  }

  private static void send(int port, long pause, long start, List<Long> admissions) {
    try (var client = client()) {
      long begin = System.nanoTime();
      for (long next = begin; next - begin < RUN.toNanos(); next += pause) {
        LockSupport.parkNanos(next - System.nanoTime());
        long at = (System.nanoTime() - start) / 1_000;
        if (status(client, port) == 200) admissions.add(at);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Replays the admissions against the limit itself. A request is decided between its start and its
   * response, so the times are those of the start, and one second of permits is added for a machine
   * that delays some requests more than others.
   */
  private static void assertWithinLimit(List<Long> admissions) {
    var tolerant = new TokenBucket(RATE, RATE.permits() + 10);
    State state = State.FRESH;
    for (long at : admissions) {
      var step = tolerant.step(state, 1_789_300_800_000_000L + at, 1);
      assertThat(step.outcome()).isInstanceOf(Passed.class);
      state = step.state();
    }
  }

  /** The proof that no request waits for Headgate: requests are answered while it is suspended. */
  @Test
  void suspendedInstanceDelaysNoRequest() throws IOException {
    try (var headgate = headgate(rules("1000000/1m"));
        var envoy = envoy(headgate, UnaryOperator.identity());
        var client = client()) {
      Eventually.holds("an assignment", PATIENCE, () -> status(client, envoy.port()) == 200);
      headgate.suspend();
      try {
        for (int i = 0; i < 200; i++) assertThat(status(client, envoy.port())).isEqualTo(200);
      } finally {
        headgate.resume();
      }
    }
  }

  @Test
  void latencyIsThatOfAnEnvoyWithoutTheFilter() throws IOException {
    try (var headgate = headgate(rules("100000000/1m"));
        var limited = envoy(headgate, UnaryOperator.identity());
        var plain = envoy(headgate, EnvoyQuotaTest::withoutFilter);
        var checked =
            EnvoyProcess.start(
                application.getAddress().getPort(),
                List.of(headgate.port(), headgate.port()),
                UnaryOperator.identity());
        var client = client()) {
      Eventually.holds("an assignment", PATIENCE, () -> status(client, limited.port()) == 200);
      var with = new Histogram(3);
      var without = new Histogram(3);
      var each = new Histogram(3);
      int requests = Integer.getInteger("headgate.envoy.requests", 2_000);
      for (int i = 0; i < 2 * requests; i++) {
        boolean counts = i >= requests; // after a warm-up
        measure(client, limited.port(), counts ? with : new Histogram(1));
        measure(client, plain.port(), counts ? without : new Histogram(1));
        measure(client, checked.port(), counts ? each : new Histogram(1));
      }
      report("µs of a request with a rate limit call each, p50 and p99", quantiles(each));
      report("µs of a request with quotas, p50 and p99", quantiles(with));
      report("µs of a request without the filter, p50 and p99", quantiles(without));
      assertThat(with.getTotalCount()).isEqualTo(requests);
    }
  }

  private static String quantiles(Histogram histogram) {
    return "%d %d"
        .formatted(
            histogram.getValueAtPercentile(50) / 1_000, histogram.getValueAtPercentile(99) / 1_000);
  }

  private static void measure(HttpClient client, int port, Histogram into) throws IOException {
    long start = System.nanoTime();
    assertThat(status(client, port)).isEqualTo(200);
    into.recordValue(System.nanoTime() - start);
  }
}
