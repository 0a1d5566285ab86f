package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.headgate.RateLimiter;
import io.headgate.redis.KeyLayout;
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
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Compares the computed memory with that of real stores of 10,000 keys. */
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

  /**
   * A rule of several limits.
   *
   * @param requests the requests of each caller
   * @param used the share of a rolling window and of slots that they use, in percent
   */
  record SeveralLimits(int requests, int used, List<String> limits) {
    /** Returns fewer callers if each has several requests. */
    int callers() {
      return requests == 1 ? StoreHeap.KEYS : StoreHeap.KEYS / 4;
    }

    String rules() {
      var text = new StringBuilder("[{ id: contract, match: { key: \"user:*\" }, limits: [");
      for (int i = 0; i < limits.size(); i++) {
        text.append("{ name: limit-%d, algorithm: %s }, ".formatted(i, limits.get(i)));
      }
      return text + "] }]";
    }
  }

  static final List<SeveralLimits> SEVERAL =
      List.of(
          new SeveralLimits(1, 100, List.of("token-bucket, rate: 100/1d")),
          new SeveralLimits(
              1, 100, List.of("token-bucket, rate: 100/1d", "fixed-window, rate: 100/1d")),
          new SeveralLimits(
              1,
              1,
              List.of(
                  "token-bucket, rate: 100/1d",
                  "fixed-window, rate: 100/1d",
                  "rolling-window, rate: 100/1d")),
          new SeveralLimits(
              1,
              100,
              List.of("leaky-bucket, rate: 100/1d, queue: 10", "sliding-window, rate: 100/1d")),
          new SeveralLimits(
              10, 100, List.of("rolling-window, rate: 10/1d", "rolling-window, rate: 10/2d")),
          new SeveralLimits(
              10, 10, List.of("fixed-window, rate: 100/1d", "concurrency, max: 100, lease: 1d")),
          // More than 256 bytes, so in a key of its own.
          new SeveralLimits(
              25, 25, List.of("token-bucket, rate: 100/1d", "rolling-window, rate: 100/1d")));

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
    assertThat(redis(KeyLayout.SEPARATE, limiter -> StoreHeap.fill(limiter, limit)))
        .as("Redis")
        .isCloseTo(computed("redis"), withPercentage(TOLERANCE_PERCENT));
  }

  @ParameterizedTest
  @FieldSource("SEVERAL")
  void computedMemoryOfCompactKeysIsThatOfRedis(SeveralLimits several) throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), several.rules());
    run(
        "size",
        "--callers",
        "" + several.callers(),
        "--used",
        "" + several.used(),
        "--rules",
        "rules.yaml",
        "--store",
        "redis",
        "--store-layout",
        "compact",
        "--json");
    double computed = JsonReply.read(out).at("bytes").number();
    double real =
        redis(
            KeyLayout.COMPACT,
            limiter ->
                StoreHeap.fill(limiter, several.callers(), several.requests(), /* cost= */ 1));
    assertThat(real).isCloseTo(computed, withPercentage(TOLERANCE_PERCENT));
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

  /** Returns the growth of Redis by the checks of {@code fill}. */
  private double redis(KeyLayout layout, Consumer<RateLimiter> fill) throws IOException {
    server.call("FLUSHALL", "SYNC");
    var options =
        RedisOptions.builder(server.uri()).layout(layout).deadline(Duration.ofSeconds(5)).build();
    try (var limiter = limiter(RedisStore.connect(options))) {
      var first = Request.of(Subject.of("user:first"));
      Eventually.holds(
          "the store answers",
          Duration.ofSeconds(10),
          () -> limiter.checkForResult(first).source() == Source.STORE);
      double before = server.dataBytes();
      fill.accept(limiter);
      return server.dataBytes() - before;
    }
  }

  private RateLimiter limiter(Store store) throws IOException {
    return RateLimiter.with(store, RuleFile.read(folder.resolve("rules.yaml")));
  }
}
