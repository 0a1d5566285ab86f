package io.headgate.benchmarks.sizing;

import io.headgate.benchmarks.Callers;
import io.headgate.benchmarks.ProgressLog;
import io.headgate.benchmarks.Table;
import io.headgate.testkit.LiveHeap;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** Measures the figures of {@code headgate size}, and writes them as a file of properties. */
public final class SizingReport {
  /** The file of the figures, below the repository's root. */
  public static final String FIGURES =
      "server/src/main/resources/io/headgate/server/cli/size/figures.properties";

  /**
   * The sizes and durations of the measurements.
   *
   * @param heapKeys the number of keys in memory
   * @param redisKeys the number of keys in Redis
   * @param rounds the number of turns whose median is the cost of a decision
   * @param sliding the length of the sliding windows whose memory is measured
   */
  public record Pace(int heapKeys, int redisKeys, int rounds, Duration turn, Duration sliding) {
    private static final Duration SLIDING = Duration.ofSeconds(10);

    /** Returns the pace of full or quick measurements. */
    public static Pace of(boolean full) {
      return full
          ? new Pace(200_000, 20_000, 5, Duration.ofSeconds(2), SLIDING)
          : new Pace(100_000, 20_000, 3, Duration.ofMillis(500), SLIDING);
    }
  }

  private final Map<String, String> figures = new TreeMap<>();
  private final Table table =
      new Table("", "memory", "each unit", "Redis", "each unit", "large", "CPU µs", "in", "out");
  private final ProgressLog progress;

  private SizingReport(ProgressLog progress) {
    this.progress = progress;
  }

  /**
   * Measures and returns the report as Markdown.
   *
   * @param earlier the figures so far; those that are not measured here are kept
   * @param written the file for the figures
   */
  public static String report(ProgressLog progress, Pace pace, Path earlier, Path written)
      throws Exception {
    return report(progress, pace, LiveHeap::bytes, earlier, written);
  }

  /**
   * As {@link #report(ProgressLog, Pace, Path, Path)}.
   *
   * @param heap returns the bytes of the live heap. That takes many collections, which tests of the
   *     report do without
   */
  static String report(
      ProgressLog progress, Pace pace, LongSupplier heap, Path earlier, Path written)
      throws Exception {
    var report = new SizingReport(progress);
    report.read(earlier);
    try (var callers = new Callers(64);
        var server = RedisServer.start()) {
      var inMemory = new HeapSizes(callers, pace.heapKeys, heap);
      var redis = new RedisSizes(server, callers, pace.redisKeys, pace.sliding);
      for (var limit : SizedLimit.values()) report.measure(limit, inMemory, redis, pace);
      report.put("cluster.token-bucket.bytes", inMemory.cluster());
    }
    report.write(written);
    return report.markdown(pace);
  }

  private void measure(SizedLimit limit, HeapSizes heap, RedisSizes redis, Pace pace)
      throws Exception {
    var inMemory = heap.memory(limit);
    var inRedis = redis.bytes(limit);
    double large = limit.growsByRequest() ? redis.largeUnit(limit) : inRedis.perUnit();
    var cost = redis.cost(limit, pace.rounds, pace.turn);
    table.row(
        limit.label(),
        put("memory.%s.bytes".formatted(limit.label()), inMemory.base()),
        put("memory.%s.unit-bytes".formatted(limit.label()), inMemory.perUnit()),
        put("redis.%s.bytes".formatted(limit.label()), inRedis.base()),
        put("redis.%s.unit-bytes".formatted(limit.label()), inRedis.perUnit()),
        put("redis.%s.large-unit-bytes".formatted(limit.label()), large),
        put("redis.%s.micros".formatted(limit.label()), cost.micros()),
        put("redis.%s.in-bytes".formatted(limit.label()), cost.in()),
        put("redis.%s.out-bytes".formatted(limit.label()), cost.out()));
    progress.log("  %s: %s, %s, %.0f, %s".formatted(limit, inMemory, inRedis, large, cost));
  }

  private String put(String name, double value) {
    String text = String.format(Locale.ROOT, "%.1f", Math.max(0, value));
    figures.put(name, text);
    return text;
  }

  private void read(Path earlier) throws IOException {
    if (!Files.exists(earlier)) return;
    var properties = new Properties();
    try (var in = Files.newBufferedReader(earlier)) {
      properties.load(in);
    }
    properties.forEach((name, value) -> figures.put(name.toString(), value.toString()));
  }

  private void write(Path file) throws IOException {
    var text = new StringBuilder();
    text.append("# The figures of headgate size. Bytes, and microseconds of CPU.\n");
    text.append("# memory, redis, cluster: ./benchmarks/run --full --only sizing --record\n");
    text.append("# http: ./benchmarks/run --full --only http, CPU of a request in the service\n");
    figures.forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
    Files.writeString(file, text);
  }

  private String markdown(Pace pace) {
    return """
    Bytes of a key without its text or name, and bytes of each unit: a request of a rolling window, a slot of
    a concurrency limit, a bucket of a sliding window. Memory is live heap over %,d keys. Redis is `used_memory`
    over %,d keys, without the share of its tables; *large* is the size of each unit where Redis stores a
    set as a skip list: above 256 requests of a rolling window, above 127 slots. The last columns are a decision in Redis: its CPU, the bytes that it receives and
    sends, with %d callers in a closed loop, medians of %d turns of %d ms.

    %s\
    """
        .formatted(pace.heapKeys, pace.redisKeys, 64, pace.rounds, pace.turn.toMillis(), table);
  }
}
