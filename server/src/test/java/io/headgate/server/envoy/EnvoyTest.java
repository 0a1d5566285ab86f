package io.headgate.server.envoy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.ScratchDirectory;
import io.headgate.testkit.net.FreePorts;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the example for Envoy with a real Envoy, two Headgate processes and a Redis. Tests that
 * count lost calls use a longer filter timeout than the example, so that a busy machine causes no
 * losses.
 */
@EnabledIfEnvironmentVariable(
    named = "HEADGATE_ENVOY",
    matches = ".+",
    disabledReason = "HEADGATE_ENVOY does not name an Envoy binary")
class EnvoyTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int PER_SECOND = Integer.getInteger("headgate.envoy.rate", 300);
  private static final String AMPLE =
      """
      rules:
        - id: per-address
          match: { domain: shop, descriptor: remote_address, remote_address: "*" }
          limit: { algorithm: fixed-window, rate: 1000000000/1d }
        - id: scarce
          match: { domain: shop, descriptor: tenant, tenant: "*" }
          limit: { algorithm: fixed-window, rate: 5/1d }
        - id: scarce-path
          match: { domain: shop, descriptor: "path,remote_address", path: "/scarce*" }
          per: [domain]
          limit: { algorithm: fixed-window, rate: 5/1d }
      """;

  private final ScratchDirectory directory = ScratchDirectory.create("headgate-envoy-test-");
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

  private Path ample() throws IOException {
    return Files.writeString(directory.resolve("rules.yaml"), AMPLE);
  }

  private HeadgateInstance instance(Path rules) {
    return new HeadgateInstance(rules, redis.uri(), Duration.ofSeconds(4));
  }

  /** Starts an instance with the default deadlines. */
  private HeadgateInstance usual(Path rules) {
    return new HeadgateInstance(rules, redis.uri(), Duration.ofMillis(15));
  }

  private EnvoyProcess envoy(
      HeadgateInstance one, HeadgateInstance other, UnaryOperator<String> change) {
    return EnvoyProcess.start(
        application.getAddress().getPort(), List.of(one.port(), other.port()), change);
  }

  /** Sends a request with one byte for each char and returns the headers of the response. */
  private static String get(EnvoyProcess envoy, String path, String... headers) throws IOException {
    try (var socket = new Socket(FreePorts.loopback(), envoy.port())) {
      var request = new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: shop\r\n");
      for (var header : headers) request.append(header).append("\r\n");
      request.append("Connection: close\r\n\r\n");
      socket.getOutputStream().write(request.toString().getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private static String patient(String configuration) {
    return configuration.replace(EnvoyProcess.TIMEOUT, "timeout: 5s");
  }

  private static String withoutRetries(String configuration) {
    return configuration
        .replace("x-envoy-max-retries, value: \"3\"", "x-unused, value: \"0\"")
        .replace("x-envoy-retry-on", "x-unused-too");
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.substring(9, 12));
  }

  private static void awaitChecked(EnvoyProcess envoy) {
    Eventually.holds(
        "Envoy asks Headgate", PATIENCE, () -> get(envoy, "/").contains("ratelimit-policy"));
  }

  private static void report(String scenario, Object figures) {
    System.out.printf("ENVOY %s: %s%n", scenario, figures);
  }

  @Test
  void envoyAcceptsTheExampleAsItIs() throws IOException {
    assertThat(EnvoyProcess.validate("envoy.yaml")).contains("configuration").contains(" OK");
  }

  /** Only ports differ from the example. With its timeout, a busy machine may lose some calls. */
  @Test
  void exampleDeniesWithItsOwnTimeout() throws IOException {
    try (var one = usual(EnvoyProcess.EXAMPLES.resolve("rules.yaml"));
        var other = usual(EnvoyProcess.EXAMPLES.resolve("rules.yaml"));
        var envoy = envoy(one, other, UnaryOperator.identity())) {
      awaitChecked(envoy);
      var admitted = new AtomicInteger();
      Eventually.holds(
          "a request is denied",
          PATIENCE,
          () -> {
            var answer = get(envoy, "/login");
            if (status(answer) == 200 && answer.contains("ratelimit-policy")) {
              admitted.incrementAndGet();
            }
            return status(answer) == 429;
          });
      assertThat(admitted).hasValueLessThanOrEqualTo(5);
    }
  }

  @Test
  void limitsOfTheExampleAreExactAndHeadersComeOnce() throws IOException {
    try (var one = instance(EnvoyProcess.EXAMPLES.resolve("rules.yaml"));
        var other = instance(EnvoyProcess.EXAMPLES.resolve("rules.yaml"));
        var envoy = envoy(one, other, EnvoyTest::patient)) {
      awaitChecked(envoy);
      int passed = 0;
      for (int i = 0; i < 20; i++) {
        var answer = get(envoy, "/login?" + i);
        if (status(answer) == 200) passed++;
        else assertThat(answer).contains("retry-after: ").startsWith("HTTP/1.1 429");
        for (var header : List.of("ratelimit:", "ratelimit-policy:", "x-ratelimit-limit:")) {
          assertThat(answer.toLowerCase(Locale.ROOT).split("\r\n" + header, -1))
              .as(answer)
              .hasSize(2);
        }
      }
      assertThat(passed).isEqualTo(5);
    }
  }

  @Test
  void invalidUtf8AndLongHeadersAreLimited() throws IOException {
    try (var one = instance(ample());
        var other = instance(ample());
        var envoy = envoy(one, other, EnvoyTest::patient)) {
      awaitChecked(envoy);
      for (var tenant : List.of("a\u00ff", "\u00c3(", "t".repeat(50_000))) {
        int passed = 0;
        for (int i = 0; i < 20; i++) {
          if (status(get(envoy, "/", "x-tenant: " + tenant)) == 200) passed++;
        }
        report("20 requests of a tenant with a hostile name, limit 5, admitted", passed);
        assertThat(passed).isEqualTo(5);
      }
      int passed = 0;
      for (int i = 0; i < 20; i++) {
        if (status(get(envoy, "/scarce?" + "x".repeat(35_000) + i)) == 200) passed++;
      }
      report("20 requests for a path of 35 kB, limit 5, admitted", passed);
      assertThat(passed).isEqualTo(5);
    }
  }

  /** Without retries, a call that a stopping instance refuses would be unchecked. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void rollingRestartLeavesNoRequestUnchecked(boolean retries) throws Exception {
    try (var one = instance(ample());
        var other = instance(ample());
        var envoy =
            envoy(one, other, text -> retries ? patient(text) : withoutRetries(patient(text)))) {
      awaitChecked(envoy);
      var traffic = new Traffic(envoy.port(), PER_SECOND);
      try (traffic) {
        for (int round = 0; round < 2; round++) {
          one.replace();
          other.replace();
        }
      }
      report("rolling restart, twice, retries: " + retries, traffic.soFar());
      assertThat(traffic.soFar().unchecked()).isZero();
      assertThat(traffic.soFar().failed()).isZero();
      assertThat(traffic.soFar().total()).isGreaterThan(100);
      assertThat(one.log() + other.log()).doesNotContain("ERROR", "Exception");
    }
  }

  @Test
  void killedInstanceIsEjected() throws Exception {
    try (var one = instance(ample());
        var other = instance(ample());
        var envoy = envoy(one, other, EnvoyTest::patient)) {
      awaitChecked(envoy);
      try (var traffic = new Traffic(envoy.port(), PER_SECOND)) {
        proceed(traffic, 300);
        var before = traffic.soFar();
        one.kill();
        proceed(traffic, 1_000);
        report("one of two instances killed", traffic.soFar().since(before));
        assertThat(traffic.soFar().since(before).unchecked()).isZero();
        one.restart();
        proceed(traffic, 300);
        assertThat(traffic.soFar().unchecked()).isZero();
      }
    }
  }

  /** The first calls wait for the whole timeout, until Envoy ejects the instance. */
  @Test
  void suspendedInstanceIsEjected() throws Exception {
    try (var one = instance(ample());
        var other = instance(ample());
        var envoy =
            envoy(one, other, text -> text.replace(EnvoyProcess.TIMEOUT, "timeout: 0.2s"))) {
      awaitChecked(envoy);
      try (var traffic = new Traffic(envoy.port(), PER_SECOND)) {
        proceed(traffic, 300);
        var before = traffic.soFar();
        one.suspend();
        proceed(traffic, 1_000);
        var during = traffic.soFar();
        report("one of two instances suspended", during.since(before));
        assertThat(during.since(before).unchecked()).isLessThan(200);
        one.resume();
        proceedUntilChecked(traffic);
      }
      assertThat(one.log() + other.log()).doesNotContain("ERROR", "Exception");
    }
  }

  /** Envoy resets calls that exceed its timeout, which must not affect other calls. */
  @Test
  void callsResetByEnvoyAffectNoOthers() throws Exception {
    try (var one = usual(ample());
        var other = usual(ample());
        var envoy = envoy(one, other, UnaryOperator.identity())) {
      awaitChecked(envoy);
      try (var traffic = new Traffic(envoy.port(), PER_SECOND)) {
        for (int i = 0; i < 20; i++) {
          one.suspend();
          other.suspend();
          proceed(traffic, 20);
          one.resume();
          other.resume();
          proceed(traffic, 100);
        }
        report("20 phases of slowness, timeout 20 ms", traffic.soFar());
        proceedUntilChecked(traffic);
      }
      report("calls that Envoy reset", envoy.counter("upstream_rq_tx_reset"));
      assertThat(envoy.counter("upstream_rq_tx_reset")).isPositive();
      assertThat(envoy.counter("upstream_rq_rx_reset")).as("resets by Headgate").isZero();
      assertThat(envoy.counter("upstream_cx_destroy_remote_with_active_rq"))
          .as("connections that Headgate closed with calls on them")
          .isZero();
      assertThat(one.log() + other.log()).doesNotContain("ERROR", "Exception");
    }
  }

  /** A paused Redis keeps its connections and answers nothing. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void failurePoliciesDecideAfterRedisIsKilledOrPaused(boolean killed) throws Exception {
    try (var one = usual(ample());
        var other = usual(ample());
        var envoy = envoy(one, other, EnvoyTest::patient)) {
      awaitChecked(envoy);
      try (var traffic = new Traffic(envoy.port(), PER_SECOND)) {
        proceed(traffic, 300);
        var before = traffic.soFar();
        if (killed) redis.kill();
        else redis.pause();
        proceed(traffic, 1_000);
        report(killed ? "Redis killed" : "Redis paused", traffic.soFar().since(before));
        proceedUntilChecked(traffic);
        assertThat(traffic.soFar().failed()).isZero();
      }
    }
  }

  private static void proceed(Traffic traffic, int requests) {
    int end = traffic.soFar().total() + requests;
    Eventually.holds("requests are sent", PATIENCE, () -> traffic.soFar().total() >= end);
  }

  /** Waits for a sequence of requests that are all checked. */
  private static void proceedUntilChecked(Traffic traffic) {
    Eventually.holds(
        "every request is checked again",
        PATIENCE,
        () -> {
          var before = traffic.soFar();
          proceed(traffic, 200);
          return traffic.soFar().since(before).unchecked() == 0;
        });
  }
}
