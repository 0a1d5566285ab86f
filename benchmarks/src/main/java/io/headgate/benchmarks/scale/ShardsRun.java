package io.headgate.benchmarks.scale;

import io.headgate.benchmarks.Callers;
import io.headgate.benchmarks.HeadgateRemote;
import io.headgate.benchmarks.Table;
import io.headgate.limit.Limit;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;

/**
 * Compares one Redis with a Redis Cluster of three primaries. Decisions per second of Redis CPU is
 * the figure that holds on a machine on which all processes share two cores.
 */
final class ShardsRun {
  private static final int PRIMARIES = 3;

  private ShardsRun() {}

  static Table measure(Limit limit, int keys, Duration turn) throws Exception {
    var table = new Table("", "decisions a second", "decisions per second of Redis CPU", "p99 µs");
    try (var callers = new Callers(Callers.COUNT)) {
      try (var server = RedisServer.start()) {
        table.row(row("one Redis", server.uri(), List.of(server), callers, limit, keys, turn));
      }
      try (var cluster = RedisCluster.start(PRIMARIES, 0)) {
        var name = "Redis Cluster, %d primaries".formatted(PRIMARIES);
        table.row(row(name, cluster.uri(), cluster.nodes(), callers, limit, keys, turn));
      }
    }
    return table;
  }

  private static List<String> row(
      String name,
      String uri,
      List<RedisServer> nodes,
      Callers callers,
      Limit limit,
      int keys,
      Duration turn)
      throws Exception {
    var options = RedisOptions.builder(uri).deadline(HeadgateRemote.DEADLINE).build();
    try (var remote =
        HeadgateRemote.open(RedisStore.connect(options), "per-user", List.of(limit), keys, 1)) {
      // Each caller has its own keys; the same for all would be one key at a time.
      var seeds = new SplittableRandom(42);
      callers.run(remote, () -> randomKeys(seeds.split(), keys), turn.dividedBy(4));
      double before = nodes.stream().mapToDouble(RedisServer::cpuSeconds).sum();
      var outcome = callers.run(remote, () -> randomKeys(seeds.split(), keys), turn);
      double cpu = nodes.stream().mapToDouble(RedisServer::cpuSeconds).sum() - before;
      return List.of(
          name,
          format(outcome.decisions() * 1e9 / outcome.took().toNanos()),
          format(outcome.decisions() / cpu),
          format(outcome.latencies().getValueAtPercentile(99) / 1e3));
    }
  }

  private static IntSupplier randomKeys(SplittableRandom random, int keys) {
    return () -> random.nextInt(keys);
  }

  private static String format(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}
