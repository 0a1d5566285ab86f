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

/** Compares limiters that keep their states in Redis, by turns. */
final class Redis {
  private static final Duration WINDOW = Duration.ofSeconds(1);
  private static final double A_FEW = 0.02;

  /**
   * How much is measured.
   *
   * @param warmUp of everybody at first, which is when most is compiled
   * @param warmUpAgain before each further table
   * @param weighed how many keys memory is divided by
   */
  record Pace(
      Duration warmUp, Duration warmUpAgain, int rounds, Duration turn, int keys, int weighed) {
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
  private final Progress progress;
  private final Pace pace;

  private Redis(RedisGauge gauge, Progress progress, Pace pace) {
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

  static String report(BenchmarkContext lab) throws Exception {
    if (!isInstalled()) {
      throw new IllegalStateException(
          "redis-server is needed; install it (Debian's package: redis-server) and try again");
    }
    return report(lab.progress(), Pace.of(lab.effort()));
  }

  static String report(Progress progress, Pace pace) throws Exception {
    try (var server = RedisServer.start();
        var callers = new Callers()) {
      return new Redis(new RedisGauge(server, callers), progress, pace).told();
    }
  }

  private String told() throws Exception {
    return """
    A `redis-server` of its own on the same machine, reached by loopback. %d callers, each of which asks
    again as soon as it is answered: chains of callbacks on each library's asynchronous calls, so the
    next question is asked by the thread that brought the last answer. All in one JVM, one after another,
    by turns: medians of %d turns of %d ms. CPU is that of the whole client process, callers included, and
    of Redis, for each decision. Latency is what callers see. *A call* is one script run; bucket4j reads
    before each, and runs none to deny. Ratios are to the first row.

    Token bucket, one rule, %,d keys at random; everything passes:

    %s
    The same, and all ask for one key:

    %s
    One key that is exhausted, so that everything is denied:

    %s
    Where they can't have 6 a minute with %,d in hand: Redisson has as many a second, and Spring Cloud
    Gateway 1 a second with as many in hand. An exhausted limit is 1 a day; for the Gateway 1 a second.

    What the algorithms of Headgate cost, on %,d keys at random. Windows and leases last a second, and
    slots are not released but run out, so that a key has about a second's requests in it:

    %s
    Memory of Redis for each key, its name and its part of Redis' tables included: the difference in
    `used_memory` over %,d keys (a quarter as many with 10 requests in each, a sixteenth with 100):

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
            pace.weighed,
            new RedisBytes(gauge, progress, pace.weighed).measure());
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

  /** One line of a table. */
  private record Row(String title, Remote remote, List<Turn> turns) {
    static Row of(String title, Remote remote) {
      return new Row(title, remote, new ArrayList<>());
    }

    Measurement rate() {
      return Measurement.of(turns.stream().mapToDouble(Turn::perSecond).toArray());
    }

    String median(ToDoubleFunction<Turn> what) {
      double median = Measurement.of(turns.stream().mapToDouble(what).toArray()).median();
      if (Double.isInfinite(median)) return "–"; // nobody called
      return String.format(
          Locale.ROOT, median < 1 ? "%.2f" : median < 100 ? "%.1f" : "%,.0f", median);
    }
  }

  private Table compare(
      String name, List<RemoteLimiter> limiters, Quota quota, int keys, Duration warmUp)
      throws Exception {
    progress.say("  " + name);
    var rows = new ArrayList<Row>();
    try {
      for (var limiter : limiters) {
        rows.add(Row.of(limiter.title, limiter.open(uri(), name, quota, keys)));
      }
      return measured(rows, keys, quota == Quota.EXHAUSTED ? 0 : 1, warmUp);
    } finally {
      close(rows);
    }
  }

  private Table algorithms() throws Exception {
    progress.say("  algorithms");
    var rows = new ArrayList<Row>();
    try {
      for (var algorithm : RemoteAlgorithm.values()) {
        var limits = algorithm.limits(WINDOW);
        var name = algorithm.name().toLowerCase(Locale.ROOT).replace('_', '-');
        rows.add(Row.of(algorithm.title, HeadgateRemote.open(uri(), name, limits, pace.keys, 1)));
      }
      return measured(rows, pace.keys, 1, pace.warmUpAgain);
    } finally {
      close(rows);
    }
  }

  private void close(List<Row> rows) {
    for (var row : rows) row.remote.close();
    gauge.empty();
  }

  /** By turns, so that all see the same weather. */
  private Table measured(List<Row> rows, int keys, double passing, Duration warmUp)
      throws Exception {
    for (var row : rows) {
      var unused = gauge.callers().ask(row.remote, anyOf(keys), warmUp);
    }
    for (int round = 0; round < pace.rounds; round++) {
      for (var row : rows) {
        var turn = gauge.turn(row.remote, anyOf(keys), pace.turn);
        progress.say(String.format(Locale.ROOT, "    %s: %,.0f/s", row.title, turn.perSecond()));
        if (Math.abs(turn.passedShare() - passing) > A_FEW) {
          throw new IllegalStateException(
              "of the requests to '%s' a share of %s passed instead of %s"
                  .formatted(row.title, turn.passedShare(), passing));
        }
        row.turns.add(turn);
      }
    }
    return table(rows);
  }

  private static Supplier<IntSupplier> anyOf(int keys) {
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
