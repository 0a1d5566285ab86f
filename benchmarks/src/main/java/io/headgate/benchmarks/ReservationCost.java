package io.headgate.benchmarks;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.IntFunction;

/**
 * Measures the CPU time of Redis for a reservation that is settled, as a multiple of that for one
 * check in the same run. Rounds of both alternate, and the medians are compared.
 */
final class ReservationCost {
  private static final int ROUNDS = 9;
  private static final int KEYS = 1_000;

  private ReservationCost() {}

  /**
   * Prints one line per limit and number of concurrent clients.
   *
   * @param args the number of operations of a round; 20,000 by default
   */
  public static void main(String[] args) {
    int operations = args.length == 0 ? 20_000 : Integer.parseInt(args[0]);
    try (var server = RedisServer.start()) {
      for (int clients : List.of(1, 64)) {
        measure(
            server,
            "token-bucket",
            TokenBucket.of(Rate.perDay(1_000_000_000)),
            clients,
            operations);
        measure(
            server,
            "fixed-window",
            FixedWindow.of(Rate.perDay(1_000_000_000)),
            clients,
            operations);
      }
    }
  }

  private static void measure(
      RedisServer server, String name, Limit limit, int clients, int operations) {
    server.call("FLUSHALL");
    var rule = Rule.named("rule").match("key", "*").limit(limit).build();
    var options = RedisOptions.builder(server.uri()).deadline(Duration.ofSeconds(10)).build();
    try (var limiter = RateLimiter.with(RedisStore.connect(options), RuleSet.of(rule))) {
      IntFunction<CompletionStage<?>> check = i -> limiter.checkAsync(request(i, 100));
      IntFunction<CompletionStage<?>> pair =
          i ->
              limiter
                  .reserveAsync(request(i, 100))
                  .thenCompose(reservation -> reservation.settleAsync(Costs.plain(25)));
      int count = clients == 1 ? operations / 4 : operations;
      var checks = new ArrayList<Double>();
      var pairs = new ArrayList<Double>();
      for (int round = 0; round < ROUNDS; round++) {
        checks.add(run(server, check, clients, count));
        pairs.add(run(server, pair, clients, count));
      }
      double one = median(checks);
      double both = median(pairs);
      System.out.printf(
          "%s, %d clients: check %.1f µs, reserve and settle %.1f µs of Redis, ratio %.2f%n",
          name, clients, one, both, both / one);
    }
  }

  private static Request request(int i, long cost) {
    return Request.of(Subject.of("user:" + i % KEYS), cost);
  }

  /** Returns the CPU time of Redis per operation, in microseconds. */
  private static double run(
      RedisServer server, IntFunction<CompletionStage<?>> operation, int clients, int count) {
    var free = new Semaphore(clients);
    var last = new ArrayList<CompletableFuture<?>>();
    double before = cpuMicros(server);
    for (int i = 0; i < count; i++) {
      free.acquireUninterruptibly();
      last.add(
          operation.apply(i).whenComplete((done, problem) -> free.release()).toCompletableFuture());
    }
    CompletableFuture.allOf(last.toArray(CompletableFuture[]::new)).join();
    return (cpuMicros(server) - before) / count;
  }

  private static double cpuMicros(RedisServer server) {
    double seconds = 0;
    for (var line : server.call("INFO", "cpu").text().split("\r\n", -1)) {
      if (line.startsWith("used_cpu_user:") || line.startsWith("used_cpu_sys:")) {
        seconds += Double.parseDouble(line.substring(line.indexOf(':') + 1));
      }
    }
    return seconds * 1e6;
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
