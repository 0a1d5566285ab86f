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
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.IntFunction;

/**
 * Measures the CPU time of Redis for a reservation that is settled, as a multiple of that for one
 * check. Short rounds of both alternate in random order, each pair of rounds gives a ratio, and the
 * median of the ratios is printed with its quartiles. The first pairs are warm-up.
 *
 * <p>CPU time is that of the Redis process, so that other load of the machine hardly matters.
 */
final class ReservationCost {
  private static final int ROUNDS = 25;
  private static final int WARM_UP = 5;
  private static final int KEYS = 1_000;

  private ReservationCost() {}

  /**
   * Prints one line per limit and number of concurrent clients.
   *
   * @param args the number of operations of a round; 10,000 by default
   */
  public static void main(String[] args) {
    int operations = args.length == 0 ? 10_000 : Integer.parseInt(args[0]);
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
      var order = new Random(1);
      var checks = new ArrayList<Double>();
      var pairs = new ArrayList<Double>();
      var ratios = new ArrayList<Double>();
      for (int round = 0; round < WARM_UP + ROUNDS; round++) {
        boolean checkFirst = order.nextBoolean();
        double first = run(server, checkFirst ? check : pair, clients, count);
        double second = run(server, checkFirst ? pair : check, clients, count);
        if (round < WARM_UP) continue;
        checks.add(checkFirst ? first : second);
        pairs.add(checkFirst ? second : first);
        ratios.add(pairs.getLast() / checks.getLast());
      }
      System.out.printf(
          "%s, %d clients: check %.1f µs, reserve and settle %.1f µs of Redis, ratio %.2f (%.2f to %.2f)%n",
          name,
          clients,
          quantile(checks, 0.5),
          quantile(pairs, 0.5),
          quantile(ratios, 0.5),
          quantile(ratios, 0.25),
          quantile(ratios, 0.75));
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
    double before = server.cpuSeconds() * 1e6;
    for (int i = 0; i < count; i++) {
      free.acquireUninterruptibly();
      last.add(
          operation.apply(i).whenComplete((done, problem) -> free.release()).toCompletableFuture());
    }
    CompletableFuture.allOf(last.toArray(CompletableFuture[]::new)).join();
    return (server.cpuSeconds() * 1e6 - before) / count;
  }

  private static double quantile(List<Double> values, double share) {
    return values.stream().sorted().toList().get((int) (values.size() * share));
  }
}
