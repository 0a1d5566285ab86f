package io.headgate.benchmarks;

import io.headgate.benchmarks.RedisGauge.Turn;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Compares limiters with states in Redis, in alternating turns. */
final class Redis {
  private static final Duration WINDOW = Duration.ofSeconds(1);
  private static final double TOLERANCE = 0.02;

  /**
   * The durations and sizes of the measurements.
   *
   * @param warmUp the first warm-up, in which the JIT compiles most
   * @param warmUpAgain the warm-up before each further table
   * @param memoryKeys the number of keys of the memory measurement
   */
  record Pace(
      Duration warmUp, Duration warmUpAgain, int rounds, Duration turn, int keys, int memoryKeys) {
    static Pace of(Effort effort) {
      return new Pace(
          Duration.ofMillis(effort.redisWarmUpMillis),
          Duration.ofMillis(effort.redisWarmUpMillis / 4),
          effort.redisRounds,
          Duration.ofMillis(effort.redisMillis),
          10_000,
          20_000);
    }
  }

  private final RedisGauge gauge;
  private final ProgressLog progress;
  private final Pace pace;

  private Redis(RedisGauge gauge, ProgressLog progress, Pace pace) {
    this.gauge = gauge;
    this.progress = progress;
    this.pace = pace;
  }

  static boolean isInstalled() throws InterruptedException {
    try (var version = new Child(List.of("redis-server", "--version"))) {
      version.output().readAllBytes();
      version.waitFor();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static String report(BenchmarkContext context) throws Exception {
    if (!isInstalled()) {
      throw new IllegalStateException(
          "redis-server is needed; install it (Debian's package: redis-server) and try again");
    }
    return report(context.progress(), Pace.of(context.effort()));
  }

  static String report(ProgressLog progress, Pace pace) throws Exception {
    try (var server = RedisServer.start();
        var callers = new Callers()) {
      return new Redis(new RedisGauge(server, callers), progress, pace).markdown();
    }
  }

  private String markdown() throws Exception {
    return """
    A dedicated `redis-server` on the same machine, over loopback. %d callers in a closed loop: each sends
    its next request, with the library's asynchronous API, in the callback of the last reply. All limiters
    run in one JVM in alternating turns: medians of %d turns of %d ms. CPU, per decision, is that of the
    whole client process, including the callers, and of Redis. Latency is that of the callers. A *call* is
    one script execution; bucket4j reads before each, and executes none to deny. Ratios are to the first row.

    Token bucket, one rule, %,d random keys; every request passes:

    %s
    The same with a single key:

    %s
    One exhausted key, so that every request is denied:

    %s
    The limit is 6 per minute with a burst of %,d. Redisson cannot express it and has that burst per second;
    Spring Cloud Gateway has 1 per second with that burst. An exhausted limit is 1 per day, for the Gateway 1
    per second.

    Headgate's algorithms on %,d random keys. Windows and leases last a second, and slots are not released
    but expire, so that a key holds about the requests of one second. The tenants of a limit that is shared
    fairly have one counter:

    %s
    Redis memory per key, including its name and its share of Redis' tables: the difference in `used_memory`
    over %,d keys (a quarter as many with 10 requests each, a sixteenth with 100):

    %s\
    """
        .formatted(
            Callers.COUNT,
            pace.rounds,
            pace.turn.toMillis(),
            pace.keys,
            passesOfManyKeys(),
            passesOfOneKey(),
            denials(),
            Quota.SLOW.burst,
            pace.keys,
            algorithms(),
            pace.memoryKeys,
            new RedisBytes(gauge, progress, pace.memoryKeys).measure());
  }

  private Table passesOfManyKeys() throws Exception {
    var limiters =
        List.of(
            RemoteLimiter.ONE_CALL,
            RemoteLimiter.HEADGATE,
            RemoteLimiter.BUCKET4J,
            RemoteLimiter.REDISSON,
            RemoteLimiter.GATEWAY);
    return compare("many-keys", limiters, Quota.SLOW, pace.keys, pace.warmUp);
  }

  private Table passesOfOneKey() throws Exception {
    var limiters =
        List.of(
            RemoteLimiter.ONE_CALL,
            RemoteLimiter.HEADGATE,
            RemoteLimiter.BUCKET4J,
            RemoteLimiter.BUCKET4J_BATCHING,
            RemoteLimiter.REDISSON,
            RemoteLimiter.GATEWAY);
    return compare("hot-key", limiters, Quota.SLOW, 1, pace.warmUpAgain);
  }

  private Table denials() throws Exception {
    return compare(
        "denials", List.of(RemoteLimiter.values()), Quota.EXHAUSTED, 1, pace.warmUpAgain);
  }

  /** One row of a table. */
  private record Row(String title, Remote remote, int keys, List<Turn> turns) {
    static Row of(String title, Remote remote, int keys) {
      return new Row(title, remote, keys, new ArrayList<>());
    }

    Measurement rate() {
      return Measurement.of(turns.stream().mapToDouble(Turn::perSecond).toArray());
    }

    String median(ToDoubleFunction<Turn> what) {
      double median = Measurement.of(turns.stream().mapToDouble(what).toArray()).median();
      if (Double.isInfinite(median)) return "–"; // no script calls
      return String.format(
          Locale.ROOT, median < 1 ? "%.2f" : median < 100 ? "%.1f" : "%,.0f", median);
    }
  }

  private Table compare(
      String name, List<RemoteLimiter> limiters, Quota quota, int keys, Duration warmUp)
      throws Exception {
    progress.log("  " + name);
    var rows = new ArrayList<Row>();
    try {
      for (var limiter : limiters) {
        rows.add(Row.of(limiter.title, limiter.open(uri(), name, quota, keys), keys));
      }
      return measured(rows, quota == Quota.EXHAUSTED ? 0 : 1, warmUp);
    } finally {
      close(rows);
    }
  }

  private Table algorithms() throws Exception {
    progress.log("  algorithms");
    var rows = new ArrayList<Row>();
    try {
      for (var algorithm : RemoteAlgorithm.values()) {
        var name = algorithm.name().toLowerCase(Locale.ROOT).replace('_', '-');
        int callers = algorithm.callers(pace.keys);
        var remote = HeadgateRemote.open(uri(), name, algorithm, WINDOW, callers);
        rows.add(Row.of(algorithm.title, remote, callers));
      }
      return measured(rows, 1, pace.warmUpAgain);
    } finally {
      close(rows);
    }
  }

  private void close(List<Row> rows) {
    for (var row : rows) row.remote.close();
    gauge.empty();
  }

  /** Measures in alternating turns, so that disturbances of the machine affect all alike. */
  private Table measured(List<Row> rows, double passing, Duration warmUp) throws Exception {
    for (var row : rows) {
      // A starved machine may end a short warm-up before the first request.
      while (gauge.callers().run(row.remote, randomKeys(row.keys), warmUp).decisions() == 0) {}
    }
    for (int round = 0; round < pace.rounds; round++) {
      for (var row : rows) {
        var turn = gauge.turn(row.remote, randomKeys(row.keys), pace.turn);
        progress.log(String.format(Locale.ROOT, "    %s: %,.0f/s", row.title, turn.perSecond()));
        if (Math.abs(turn.passedShare() - passing) > TOLERANCE) {
          throw new IllegalStateException(
              "'%s' admitted a share of %s of the requests instead of %s"
                  .formatted(row.title, turn.passedShare(), passing));
        }
        row.turns.add(turn);
      }
    }
    return table(rows);
  }

  private static Supplier<IntSupplier> randomKeys(int keys) {
    return () -> {
      var random = new SplittableRandom();
      return () -> random.nextInt(keys);
    };
  }

  private static Table table(List<Row> rows) {
    var table =
        new Table(
            "",
            "decisions a second",
            "",
            "client CPU µs",
            "Redis CPU µs",
            "p50 µs",
            "p99 µs",
            "decisions a call");
    for (var row : rows) {
      table.row(
          row.title,
          row.rate().toString(),
          row.rate().times(rows.getFirst().rate()),
          row.median(Turn::clientMicros),
          row.median(Turn::redisMicros),
          row.median(Turn::medianMicros),
          row.median(Turn::slowMicros),
          row.median(Turn::perCall));
    }
    return table;
  }

  private String uri() {
    return gauge.server().uri();
  }
}
