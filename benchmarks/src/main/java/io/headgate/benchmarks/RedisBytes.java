package io.headgate.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** Measures the memory of Redis per key. */
final class RedisBytes {
  private static final Duration WINDOW = Duration.ofDays(1);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private final RedisGauge gauge;
  private final ProgressLog progress;
  private final int keys;
  private final Table table = new Table("", "bytes a key");

  /**
   * @param keys the number of keys with one request each; fewer are used with more requests each
   */
  RedisBytes(RedisGauge gauge, ProgressLog progress, int keys) {
    this.gauge = gauge;
    this.progress = progress;
    this.keys = keys;
  }

  Table measure() throws Exception {
    var uri = gauge.server().uri();
    measure(
        RemoteLimiter.ONE_CALL.title,
        1,
        keys,
        count -> RemoteLimiter.ONE_CALL.open(uri, "bytes", Quota.SLOW, count));
    for (var algorithm : RemoteAlgorithm.values()) {
      for (int requestsPerKey : requestsEach(algorithm)) {
        measure(
            "Headgate, " + algorithm.title + suffix(algorithm, requestsPerKey),
            requestsPerKey,
            algorithm.callers(keys),
            count -> HeadgateRemote.open(uri, "bytes", algorithm, WINDOW, count));
      }
    }
    return table;
  }

  private static List<Integer> requestsEach(RemoteAlgorithm algorithm) {
    return switch (algorithm) {
      case TOKEN_BUCKET,
          LEAKY_BUCKET,
          FIXED_WINDOW,
          SLIDING_WINDOW,
          THREE_LIMITS,
          THREE_LIMITS_COMPACT,
          FAIR_TEN,
          FAIR_THOUSAND ->
          List.of(1);
      case ROLLING_WINDOW -> List.of(1, 10, 100);
      case CONCURRENCY -> List.of(1, 10);
    };
  }

  private static String suffix(RemoteAlgorithm algorithm, int requestsPerKey) {
    return switch (algorithm) {
      case TOKEN_BUCKET,
          LEAKY_BUCKET,
          FIXED_WINDOW,
          SLIDING_WINDOW,
          THREE_LIMITS,
          THREE_LIMITS_COMPACT ->
          "";
      case FAIR_TEN, FAIR_THOUSAND -> ", for each tenant";
      case ROLLING_WINDOW -> ", %d in it".formatted(requestsPerKey);
      case CONCURRENCY -> ", %d in flight".formatted(requestsPerKey);
    };
  }

  private void measure(String title, int requestsPerKey, int callers, IntFunction<Remote> open)
      throws Exception {
    // Divide by powers of two, so that the hash tables of Redis are equally full.
    int count = callers / (requestsPerKey == 1 ? 1 : requestsPerKey < 100 ? 4 : 16);
    try (var remote = open.apply(count)) {
      gauge.empty();
      double before = gauge.usedMemory();
      var next = new AtomicInteger();
      var outcome =
          gauge
              .callers()
              .run(
                  remote,
                  () ->
                      () -> {
                        int i = next.getAndIncrement();
                        return i < count * requestsPerKey ? i % count : Callers.NO_MORE;
                      },
                  TIMEOUT);
      if (outcome.passed() != (long) count * requestsPerKey) {
        throw new IllegalStateException(
            "%s: of %d requests %d passed"
                .formatted(title, count * requestsPerKey, outcome.passed()));
      }
      var bytes = String.format(Locale.ROOT, "%,.0f", (gauge.usedMemory() - before) / count);
      progress.log("  %s: %s bytes a key".formatted(title, bytes));
      table.row(title, bytes);
    }
  }
}
