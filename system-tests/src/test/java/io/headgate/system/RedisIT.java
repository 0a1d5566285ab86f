package io.headgate.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.ConcurrentRunner;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.TestEffort;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests several processes of the packaged program that share one Redis. */
class RedisIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int PROCESSES = 5;
  private static final int REQUESTS = TestEffort.of(1_600, 10_000);
  private static final int LIMIT = 1_000;
  private static final List<String> ALGORITHMS =
      List.of("tokens", "queue", "fixed", "sliding", "rolling", "slots");

  /** No permit is refilled while the test runs, so that exactly the limit is admitted. */
  private static final String RULES =
      """
      rules:
        - { id: tokens, match: { key: "tokens:*" }, limit: { algorithm: token-bucket, rate: 1/1d, burst: 1000 } }
        - { id: queue, match: { key: "queue:*" }, limit: { algorithm: leaky-bucket, rate: 1/1d, queue: 999 } }
        - { id: fixed, match: { key: "fixed:*" }, limit: { algorithm: fixed-window, rate: 1000/30d } }
        - { id: sliding, match: { key: "sliding:*" }, limit: { algorithm: sliding-window, rate: 1000/30d } }
        - { id: rolling, match: { key: "rolling:*" }, limit: { algorithm: rolling-window, rate: 1000/1d } }
        - { id: slots, match: { key: "slots:*" }, limit: { algorithm: concurrency, max: 1000, lease: 1h } }
        - { id: leased, match: { key: "leased:*" }, consistency: leased, limit: { algorithm: fixed-window, rate: 1000/30d } }
        - { id: guarded, match: { key: "guarded:*" }, on-store-failure: deny, limit: { algorithm: token-bucket, rate: 1M/1s } }
      """;

  @TempDir Path folder;

  /** Starts a process without a database, which saves a fifth of the CPU time of its start. */
  private HeadgateProcess serveFile(String store) throws IOException {
    return serve(Map.of("HEADGATE_STORE", store, "HEADGATE_RULES_MODE", "file"));
  }

  private HeadgateProcess serve(String store) throws IOException {
    return serve(Map.of("HEADGATE_STORE", store));
  }

  private HeadgateProcess serve(Map<String, String> options) throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), RULES);
    var environment = new HashMap<>(options);
    // On a busy machine five processes may delay each other for longer than the default of 50 ms.
    environment.put("HEADGATE_STORE_TIMEOUT", "20s");
    return new HeadgateProcess(
        folder,
        environment,
        "serve",
        "--port",
        "0",
        "--rules",
        "rules.yaml",
        "--data",
        Files.createTempDirectory(folder, "data").toString());
  }

  @Test
  void twoThenFiveProcessesAdmitExactlyTheLimitOfEveryAlgorithm() throws Exception {
    var services = new ArrayList<HeadgateProcess>();
    try (var redis = RedisServer.start()) {
      for (int i = 0; i < PROCESSES; i++) services.add(serveFile(redis.uri()));
      var ports = services.stream().map(HeadgateProcess::port).toList();
      for (int count : new int[] {2, PROCESSES}) {
        for (var algorithm : ALGORITHMS) {
          var key = algorithm + ":" + count;
          assertThat(admitted(ports.subList(0, count), key))
              .as("%s, %d processes", algorithm, count)
              .isEqualTo(LIMIT);
        }
      }
      for (var service : services) assertThat(service.err()).isEmpty();
    } finally {
      services.forEach(HeadgateProcess::close);
    }
  }

  /**
   * Returns the number of admitted requests. Each thread sends requests to one process in sequence.
   */
  private static long admitted(List<Integer> ports, String key) throws Exception {
    int each = REQUESTS / ConcurrentRunner.VIRTUAL.size();
    return ConcurrentRunner.VIRTUAL.sum(member -> {
      long admitted = 0;
      try (var client = new CheckClient(ports.get(member % ports.size()))) {
        for (int i = 0; i < each; i++) {
          if (client.ask(key).isAllowed()) admitted++;
        }
      }
      return admitted;
    });
  }

  @Test
  void processesWithPermitLeasesAdmitAtMostTheLimit() throws Exception {
    try (var redis = RedisServer.start();
        var one = serveFile(redis.uri());
        var other = serveFile(redis.uri());
        var client = new CheckClient(one.port())) {
      Eventually.holds(
          "a permit that is held is spent",
          PATIENCE,
          () -> client.ask("leased:warm").source().equals("lease"));
      var admitted = new AtomicLong(admitted(List.of(one.port(), other.port()), "leased:x"));
      assertThat(admitted.get()).isBetween(LIMIT / 2L, (long) LIMIT);
      one.terminate();
      assertThat(one.exitCode()).isZero();
      try (var last = new CheckClient(other.port())) {
        Eventually.holds(
            "what the first gave back is the other's",
            PATIENCE,
            () -> {
              while (last.ask("leased:x").isAllowed()) admitted.incrementAndGet();
              return admitted.get() >= LIMIT;
            });
      }
      assertThat(admitted).hasValue(LIMIT);
    }
  }

  @Test
  void killedRedisCausesNoErrorsForCallers() throws Exception {
    try (var redis = RedisServer.start();
        var service = serve(redis.uri());
        var checks = new ContinuousChecks(service.port(), "guarded:x")) {
      checks.awaitSource("store");
      redis.kill();
      checks.awaitSource("fallback");
      redis.restart();
      checks.awaitSource("store");
      checks.stop();
      assertThat(checks.statuses()).containsOnly(200, 429);
      var place = "Redis at 127.0.0.1:" + redis.port();
      assertThat(service.err().lines())
          .hasSize(2)
          .anyMatch(line -> line.contains("WARN  " + place + " is unavailable: "))
          .anyMatch(line -> line.contains("INFO  " + place + " is available again after "));
    }
  }

  @Test
  void startsWithoutRedisAndUsesItOnceAvailable() throws Exception {
    try (var redis = RedisServer.start("--requirepass", "s3cret")) {
      redis.kill();
      var address = "redis://:s3cret@127.0.0.1:" + redis.port();
      try (var service = serve(address);
          var client = new CheckClient(service.port())) {
        assertThat(service.out())
            .contains("  store  redis at 127.0.0.1:" + redis.port() + ", keys headgate:*\n");
        assertThat(client.ask("tokens:x").source()).isEqualTo("fallback");
        assertThat(service.err().lines())
            .hasSize(1)
            .allMatch(line -> line.contains("can't be reached"))
            .allMatch(line -> line.contains("the connection was refused"))
            .allMatch(line ->
                line.contains(
                    "decisions use each rule's on-store-failure policy until it recovers"));
        redis.restart();
        Eventually.holds(
            "Redis decides", PATIENCE, () -> client.ask("tokens:x").source().equals("store"));
        Eventually.holds(
            "the recovery is logged",
            PATIENCE,
            () -> service.err().contains(" is available after "));
        assertThat(service.err().lines()).hasSize(2);
        assertThat(service.out() + service.err()).doesNotContain("s3cret");
      }
    }
  }

  /** Sends checks on a thread of its own, at a rate, until stopped. */
  private static final class ContinuousChecks implements AutoCloseable {
    private static final long PAUSE_NANOS = 5_000_000;

    private final Set<Integer> statuses = ConcurrentHashMap.newKeySet();
    private final AtomicLong asked = new AtomicLong();
    private final Thread thread;
    private volatile String source = "";
    private volatile boolean stopped;

    ContinuousChecks(int port, String key) {
      thread =
          Thread.ofVirtual()
              .start(() -> {
                try (var client = new CheckClient(port)) {
                  while (!stopped) {
                    var answer = client.ask(key);
                    statuses.add(answer.status());
                    source = answer.source();
                    asked.incrementAndGet();
                    LockSupport.parkNanos(PAUSE_NANOS);
                  }
                } catch (RuntimeException e) {
                  statuses.add(-1); // a lost connection counts as an error
                }
              });
    }

    void awaitSource(String wanted) {
      Eventually.holds("source is " + wanted, PATIENCE, () -> source.equals(wanted));
    }

    void stop() throws InterruptedException {
      stopped = true;
      thread.join();
      assertThat(asked.get()).isPositive();
    }

    Set<Integer> statuses() {
      return statuses;
    }

    @Override
    public void close() {
      stopped = true;
    }
  }
}
