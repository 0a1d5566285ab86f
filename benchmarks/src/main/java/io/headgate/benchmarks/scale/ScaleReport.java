package io.headgate.benchmarks.scale;

import io.headgate.RateLimiter;
import io.headgate.benchmarks.Callers;
import io.headgate.benchmarks.HeadgateRemote;
import io.headgate.benchmarks.ProgressLog;
import io.headgate.benchmarks.Table;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import io.headgate.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** Measures the library at scale and reports the figures. */
public final class ScaleReport {
  private static final int RATE = 50_000;
  private static final int CALLERS = 10_000;
  private static final List<Integer> LOADS = List.of(50, 80, 95);

  /**
   * The sizes and durations of the measurements.
   *
   * @param connections the number of open HTTP connections
   * @param warmUp how long a lower rate is held before
   * @param steady how long a constant rate is held
   * @param turn how long each load of the latency table lasts, and the measurement of capacity
   */
  public record Pace(
      int keys,
      int rules,
      int checks,
      int connections,
      Duration warmUp,
      Duration steady,
      Duration turn) {
    private static final Duration WARM_UP = Duration.ofSeconds(1);

    /** Returns the pace of full or quick measurements. */
    public static Pace of(boolean full) {
      return full
          ? new Pace(
              10_000_000,
              100_000,
              20_000_000,
              10_000,
              WARM_UP,
              Duration.ofMinutes(10),
              Duration.ofSeconds(20))
          : new Pace(
              1_000_000,
              100_000,
              2_000_000,
              1_000,
              WARM_UP,
              Duration.ofSeconds(15),
              Duration.ofSeconds(5));
    }
  }

  private ScaleReport() {}

  /**
   * Measures and returns the report as Markdown.
   *
   * @param jar the program, for the measurement of connections
   */
  public static String report(ProgressLog progress, Pace pace, Path jar) throws Exception {
    String keys = KeysRun.measure(pace.keys, pace.checks).row();
    progress.log("  " + keys);
    String rules = RulesRun.measure(pace.rules, pace.checks).row();
    progress.log("  " + rules);
    String steady = steady(pace);
    progress.log("  " + steady);
    String connections = ConnectionsRun.measure(jar, pace.connections);
    progress.log("  " + connections);
    var latency = latency(progress, pace);
    var shards = ShardsRun.measure(limit(), CALLERS, pace.turn);
    progress.log("  one Redis and a cluster of three");
    return """
    The library in one JVM, one rule with a token bucket.

    - %s.
    - %s.
    - %s.
    - %s.

    Latency of a check with state in Redis, on the same machine over loopback, under open-loop load: checks are
    sent at a constant rate, and latency counts from the time at which a check was due. The capacity is that of
    %d callers in a closed loop. Microseconds, %d s for each row:

    %s
    One Redis and a Redis Cluster without replicas, %d callers in a closed loop. All processes share the cores of
    this machine, so that the decisions per second of Redis CPU are the figure that holds elsewhere:

    %s\
    """
        .formatted(
            keys,
            rules,
            steady,
            connections,
            Callers.COUNT,
            pace.turn.toSeconds(),
            latency,
            Callers.COUNT,
            shards);
  }

  /** Holds a constant rate in memory, and compares the live heap before and after. */
  private static String steady(Pace pace) throws Exception {
    try (var limiter = limiter(MemoryStore.create(Ticker.system(), 2 * CALLERS));
        var meter = new HeapMeter()) {
      PacedRun.run(limiter, CALLERS, RATE, pace.warmUp);
      long before = HeapMeter.live();
      var result = PacedRun.run(limiter, CALLERS, RATE, pace.steady);
      String pauses = meter.pauses();
      long after = HeapMeter.live();
      return String.format(
          Locale.ROOT,
          "%,.0f checks/s in memory for %d s, of %,d wanted: live heap %.1f MB before, %.1f MB"
              + " after; pauses of garbage collection: %s",
          result.rate(),
          pace.steady.toSeconds(),
          RATE,
          before / 1e6,
          after / 1e6,
          pauses);
    }
  }

  private static Table latency(ProgressLog progress, Pace pace) throws Exception {
    var table = new Table("", "checks a second", "reached", "p50", "p99", "p99.9", "timed out");
    try (var server = RedisServer.start();
        var callers = new Callers(Callers.COUNT)) {
      double capacity = capacity(server, callers, pace.turn);
      for (int load : LOADS) {
        double rate = capacity * load / 100;
        try (var limiter = limiter(RedisStore.connect(options(server)))) {
          PacedRun.run(limiter, CALLERS, rate / 4, pace.warmUp);
          var result = PacedRun.run(limiter, CALLERS, rate, pace.turn);
          table.row(
              load + "% of capacity",
              String.format(Locale.ROOT, "%,.0f", rate),
              String.format(Locale.ROOT, "%,.0f", result.rate()),
              result.micros(50),
              result.micros(99),
              result.micros(99.9),
              String.format(Locale.ROOT, "%,d", result.timedOut()));
          progress.log("  open loop, %d%%: p99.9 %s µs".formatted(load, result.micros(99.9)));
        }
      }
    }
    return table;
  }

  private static double capacity(RedisServer server, Callers callers, Duration turn)
      throws Exception {
    var limits = List.<io.headgate.limit.Limit>of(limit());
    try (var remote =
        HeadgateRemote.open(RedisStore.connect(options(server)), "per-user", limits, CALLERS, 1)) {
      var seeds = new SplittableRandom(42);
      callers.run(remote, () -> keys(seeds.split()), turn.dividedBy(4));
      var outcome = callers.run(remote, () -> keys(seeds.split()), turn);
      return outcome.decisions() * 1e9 / outcome.took().toNanos();
    }
  }

  /**
   * Returns the keys of one caller. Callers with the same keys would all request one key at a time.
   */
  private static java.util.function.IntSupplier keys(SplittableRandom random) {
    return () -> random.nextInt(CALLERS);
  }

  private static RedisOptions options(RedisServer server) {
    return RedisOptions.builder(server.uri()).deadline(HeadgateRemote.DEADLINE).build();
  }

  private static TokenBucket limit() {
    return TokenBucket.of(Rate.perMinute(6)).withBurst(100_000_000);
  }

  private static RateLimiter limiter(io.headgate.store.Store store) {
    var rule = Rule.named("per-user").match("key", "user:*").limit(limit()).build();
    return RateLimiter.with(store, RuleSet.of(rule));
  }
}
