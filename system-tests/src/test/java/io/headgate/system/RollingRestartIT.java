package io.headgate.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replaces instances behind a real load balancer one after another under load. */
class RollingRestartIT {
  private static final int CALLERS = 8;
  private static final Duration INTERVAL = Duration.ofMillis(40); // of the requests of one caller
  private static final int LIMIT = 10_000_000;

  @TempDir Path folder;

  @AfterEach
  void stopCallers() {
    callers.shutdownNow();
  }

  // A connection upgraded to HTTP/2 would be tunnelled through the balancer.
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger allowed = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final ScheduledExecutorService callers = Executors.newScheduledThreadPool(CALLERS);

  @Test
  void noRequestFailsAndEachIsChargedOnce() throws Exception {
    Files.writeString(
        folder.resolve("rules.yaml"),
        "rules: [{ id: all, limit: { algorithm: fixed-window, rate: %d/1d } }]".formatted(LIMIT));
    var ports = new ArrayList<>(FreePorts.find(4));
    int front = ports.removeLast();
    var instances = new ArrayList<HeadgateProcess>();
    try (var redis = RedisServer.start();
        client) {
      for (int port : ports) instances.add(start(port, redis));
      var balancer = balancer(front, ports);
      try {
        awaitReady(front);
        for (int i = 0; i < CALLERS; i++) {
          var unused =
              callers.scheduleAtFixedRate(
                  () -> ask(front), 0, INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
        }
        for (int i = 0; i < instances.size(); i++) {
          awaitMore(250);
          instances.get(i).terminate();
          assertThat(instances.get(i).exitCode()).isEqualTo(0);
          instances.set(i, start(ports.get(i), redis));
          awaitReady(ports.get(i));
        }
        awaitMore(250);
        callers.shutdown();
        assertThat(callers.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
      } finally {
        balancer.destroy();
        if (!balancer.waitFor(10, TimeUnit.SECONDS)) balancer.destroyForcibly();
      }
      assertThat(failures).isEmpty();
      assertThat(ask(ports.getFirst(), "/v1/peek", 0))
          .contains("\"remaining\":" + (LIMIT - allowed.get()) + ",");
    } finally {
      instances.forEach(HeadgateProcess::close);
    }
  }

  private HeadgateProcess start(int port, RedisServer redis) throws IOException {
    var own = Files.createTempDirectory(folder, "instance");
    return new HeadgateProcess(
        own,
        Map.of("HEADGATE_STORE_TIMEOUT", "5s", "HEADGATE_DRAIN_DELAY", "3s"),
        "serve",
        "--port",
        Integer.toString(port),
        "--store",
        redis.uri(),
        "--rules-mode",
        "file",
        "--rules",
        folder.resolve("rules.yaml").toString());
  }

  private Process balancer(int front, List<Integer> ports) throws IOException {
    var servers = new StringBuilder();
    for (int port : ports) {
      servers.append(
          "  server s%d 127.0.0.1:%d check inter 50ms fall 1 rise 1\n".formatted(port, port));
    }
    var config = folder.resolve("haproxy.cfg");
    Files.writeString(
        config,
        """
        defaults
          mode http
          timeout connect 5s
          timeout check 5s
          timeout client 30s
          timeout server 30s
          retries 3
          option redispatch
          retry-on conn-failure
        frontend front
          bind 127.0.0.1:%d
          default_backend headgate
        backend headgate
          balance roundrobin
          option httpchk GET /health/ready
        %s\
        """
            .formatted(front, servers));
    return new ProcessBuilder("haproxy", "-db", "-f", config.toString())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("haproxy.txt").toFile())
        .start();
  }

  private void ask(int port) {
    try {
      String answer = ask(port, "/v1/check", 1);
      if (answer.startsWith("{\"allowed\":true")) allowed.incrementAndGet();
      else failures.add(answer);
    } catch (IOException e) {
      failures.add(e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String ask(int port, String path, int cost) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"key\":\"one\",\"cost\":" + cost + "}"));
    return client.send(request.build(), BodyHandlers.ofString()).body();
  }

  private void awaitReady(int port) {
    Eventually.holds("ready on " + port, Duration.ofSeconds(60), () -> isReady(port));
  }

  private boolean isReady(int port) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health/ready"));
    try {
      return client.send(request.build(), BodyHandlers.ofString()).statusCode() == 200;
    } catch (ConnectException e) {
      return false;
    }
  }

  private void awaitMore(int requests) {
    int until = allowed.get() + requests;
    Eventually.holds(
        requests + " more requests: " + failures,
        Duration.ofSeconds(60),
        () -> allowed.get() >= until || !failures.isEmpty());
  }
}
