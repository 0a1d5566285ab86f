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
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Compares the computed memory with that of real stores of 20,000 keys. */
class SizeAgreementTest extends Shell {
  private static final double TOLERANCE_PERCENT = 15;

  static final List<String> LIMITS =
      List.of(
          "token-bucket, rate: 100/1d",
          "token-bucket, rate: 999983/1h",
          "leaky-bucket, rate: 100/1d, queue: 10",
          "fixed-window, rate: 100/1d",
          "sliding-window, rate: 100/1d",
          "rolling-window, rate: 1/1d",
          "rolling-window, rate: 10/1d",
          "concurrency, max: 1, lease: 1d",
          "concurrency, max: 10, lease: 1d",
          "adaptive-concurrency, min: 1, initial: 1, max: 1, lease: 1d");

  private static RedisServer server;
  private static Map<String, Double> heaps;

  @BeforeAll
  static void start() throws IOException {
    server = RedisServer.start();
    heaps = StoreHeap.measure(LIMITS);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @FieldSource("LIMITS")
  void computedMemoryIsThatOfTheStores(String limit) throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), StoreHeap.rules(limit));
    assertThat(heaps.get(limit))
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
    double others = server.info("clients", "connected_clients");
    try (var limiter = limiter(RedisStore.connect(RedisOptions.builder(server.uri()).build()))) {
      Eventually.holds(
          "the instance has its connections",
          Duration.ofSeconds(10),
          () ->
              limiter.checkForResult(Subject.of("user:1")).source() == Source.STORE
                  && server.info("clients", "connected_clients") - others == 2);
    }
  }

  private double computed(String store) throws IOException {
    run(
        "size",
        "--callers",
        "" + StoreHeap.KEYS,
        "--rules",
        "rules.yaml",
        "--store",
        store,
        "--json");
    return JsonReply.read(out).at("bytes").number();
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
      double before = server.dataBytes();
      StoreHeap.fill(limiter, limit);
      return server.dataBytes() - before;
    }
  }

  private RateLimiter limiter(Store store) throws IOException {
    return RateLimiter.with(store, RuleFile.read(folder.resolve("rules.yaml")));
  }
}
