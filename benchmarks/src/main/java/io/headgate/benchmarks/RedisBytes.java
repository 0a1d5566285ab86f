package io.headgate.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** How much memory Redis needs for each key. */
final class RedisBytes {
  private static final Duration LONG = Duration.ofDays(1);
  private static final Duration ENOUGH = Duration.ofMinutes(5);

  private final RedisGauge gauge;
  private final Progress progress;
  private final int keys;
  private final Table table = new Table("", "bytes a key");

  /**
   * @param keys of one request each; of those with more requests there are fewer
   */
  RedisBytes(RedisGauge gauge, Progress progress, int keys) {
    this.gauge = gauge;
    this.progress = progress;
    this.keys = keys;
  }

  Table measure() throws Exception {
    var uri = gauge.server().uri();
    measure(
        RemoteLimiter.ONE_CALL.title,
        1,
        count -> RemoteLimiter.ONE_CALL.open(uri, "bytes", Quota.SLOW, count));
    for (var algorithm : RemoteAlgorithm.values()) {
      for (int each : requestsEach(algorithm)) {
        measure(
            "Headgate, " + algorithm.title + told(algorithm, each),
            each,
            count -> HeadgateRemote.open(uri, "bytes", algorithm.limits(LONG), count, 1));
      }
    }
    return table;
  }

  private static List<Integer> requestsEach(RemoteAlgorithm algorithm) {
    return switch (algorithm) {
      case TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW, SLIDING_WINDOW, THREE_LIMITS -> List.of(1);
      case ROLLING_WINDOW -> List.of(1, 10, 100);
      case CONCURRENCY -> List.of(1, 10);
    };
  }

  private static String told(RemoteAlgorithm algorithm, int each) {
    return switch (algorithm) {
      case TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW, SLIDING_WINDOW, THREE_LIMITS -> "";
      case ROLLING_WINDOW -> ", %d in it".formatted(each);
      case CONCURRENCY -> ", %d in flight".formatted(each);
    };
  }

  private void measure(String title, int each, IntFunction<Remote> made) throws Exception {
    // A quarter of the keys fill the same part of a table of a quarter of the size.
    int count = keys / (each == 1 ? 1 : each < 100 ? 4 : 16);
    try (var remote = made.apply(count)) {
      gauge.empty();
      double before = gauge.usedMemory();
      var next = new AtomicInteger();
      var seen =
          gauge
              .callers()
              .ask(
                  remote,
                  () ->
                      () -> {
                        int i = next.getAndIncrement();
                        return i < count * each ? i % count : Callers.NO_MORE;
                      },
                  ENOUGH);
      if (seen.passed() != (long) count * each) {
        throw new IllegalStateException(
            "%s: of %d requests %d passed".formatted(title, count * each, seen.passed()));
      }
      var bytes = String.format(Locale.ROOT, "%,.0f", (gauge.usedMemory() - before) / count);
      progress.say("  %s: %s bytes a key".formatted(title, bytes));
      table.row(title, bytes);
    }
  }
}
