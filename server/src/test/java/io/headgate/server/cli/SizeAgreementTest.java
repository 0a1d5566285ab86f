package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.headgate.RateLimiter;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.store.MemoryStore;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the computed memory with that of real stores of 20,000 keys. */
class SizeAgreementTest extends Shell {
  private static final int KEYS = 20_000;
  private static final int IN_FLIGHT = 500;
  private static final double TOLERANCE_PERCENT = 15;

  /** Keeps all stores, since one that is collected during a measurement would reduce its result. */
  private static final List<RateLimiter> KEPT = new ArrayList<>();

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
    KEPT.forEach(RateLimiter::close);
    KEPT.clear();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "token-bucket, rate: 100/1d",
        "token-bucket, rate: 999983/1h",
        "leaky-bucket, rate: 100/1d, queue: 10",
        "fixed-window, rate: 100/1d",
        "sliding-window, rate: 100/1d",
        "rolling-window, rate: 1/1d",
        "rolling-window, rate: 10/1d",
        "concurrency, max: 1, lease: 1d",
        "concurrency, max: 10, lease: 1d",
        "adaptive-concurrency, min: 1, initial: 1, max: 1, lease: 1d",
      })
  void computedMemoryIsThatOfTheStores(String limit) throws IOException {
    Files.writeString(
        folder.resolve("rules.yaml"),
        "[{ id: per-user, match: { key: \"user:*\" }, limit: { algorithm: %s } }]"
            .formatted(limit));
    assertThat(heap(limit))
        .as("heap")
        .isCloseTo(computed("memory"), withPercentage(TOLERANCE_PERCENT));
    assertThat(redis(limit))
        .as("Redis")
        .isCloseTo(computed("redis"), withPercentage(TOLERANCE_PERCENT));
  }

  @Test
  void instanceHasTwoConnectionsToRedis() throws IOException {
    Files.writeString(
        folder.resolve("rules.yaml"),
        "[{ id: per-user, match: { key: \"user:*\" }, limit: { algorithm: fixed-window, rate: 1/1d"
            + " } }]");
    double others = info("clients", "connected_clients:");
    try (var limiter = limiter(RedisStore.connect(RedisOptions.builder(server.uri()).build()))) {
      Eventually.holds(
          "the instance has its connections",
          Duration.ofSeconds(10),
          () ->
              limiter.checkForResult(Subject.of("user:1")).source() == Source.STORE
                  && info("clients", "connected_clients:") - others == 2);
    }
  }

  private double computed(String store) throws IOException {
    run("size", "--callers", "" + KEYS, "--rules", "rules.yaml", "--store", store, "--json");
    return JsonReply.read(out).at("bytes").number();
  }

  private double heap(String limit) throws IOException {
    var limiter = limiter(MemoryStore.create(Ticker.system(), 2 * KEYS));
    KEPT.add(limiter);
    long before = usedHeap();
    fill(limiter, limit);
    return usedHeap() - before;
  }

  private double redis(String limit) throws IOException {
    server.call("FLUSHALL", "SYNC");
    var options = RedisOptions.builder(server.uri()).deadline(Duration.ofSeconds(5)).build();
    try (var limiter = limiter(RedisStore.connect(options))) {
      var first = Request.of(Subject.of("user:first"));
      Eventually.holds(
          "the store answers",
          Duration.ofSeconds(10),
          () -> limiter.checkForResult(first).source() == Source.STORE);
      double before = usedRedis();
      fill(limiter, limit);
      return usedRedis() - before;
    }
  }

  private RateLimiter limiter(Store store) throws IOException {
    return RateLimiter.with(store, RuleFile.read(folder.resolve("rules.yaml")));
  }

  /** Uses all permits of a limit that stores each request, and 99% of a bucket of an odd rate. */
  private static void fill(RateLimiter limiter, String limit) {
    int each = limit.contains(": 10/1d") || limit.contains("max: 10,") ? 10 : 1;
    long cost = limit.contains("999983") ? 990_000 : 1;
    var pending = new ArrayList<CompletableFuture<?>>();
    for (int i = 0; i < KEYS * each; i++) {
      var subject = Subject.of("user:%011d".formatted(i % KEYS));
      pending.add(
          limiter
              .checkForResultAsync(Request.of(subject, cost))
              .thenAccept(result -> assertThat(result.isAllowed()).isTrue())
              .toCompletableFuture());
      if (pending.size() < IN_FLIGHT) continue;
      CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new)).join();
      pending.clear();
    }
    CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new)).join();
  }

  private static long usedHeap() {
    long last = Long.MAX_VALUE;
    for (int i = 0; i < 20; i++) {
      System.gc();
      long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      if (i >= 2 && Math.abs(last - now) <= 16 * 1024) return now;
      last = now;
    }
    return last;
  }

  /** Returns the memory without the buffers of connections. */
  private static double usedRedis() {
    return info("memory", "used_memory:") - info("memory", "mem_clients_normal:");
  }

  private static double info(String section, String name) {
    return server
        .call("INFO", section)
        .text()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .findFirst()
        .orElseThrow();
  }
}
