package io.headgate.redis;

import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.FailurePolicy.Allow;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * An instance in a separate process. Its callers make checks after the first decision, without
 * warm-up, until each limit is exhausted. Prints the number of admitted requests of each rule, and
 * the number of requests that were decided without Redis.
 */
final class StarvedInstance {
  static final List<String> RULES = List.of("fixed", "bucket", "rolling", "leased");
  static final int LIMIT = 200;
  static final String READY = "ready";

  private static final Duration DEADLINE = Duration.ofMillis(100);
  private static final int THREADS = 8;

  /** Requests of each thread to each rule; all threads make twice as many as a limit admits. */
  private static final int EACH = 2 * LIMIT / THREADS;

  private StarvedInstance() {}

  /** Returns rules that admit every request without Redis, beyond their limits. */
  static RuleSet rules() {
    var perDay = Rate.perDay(LIMIT);
    return RuleSet.of(
        rule("fixed", FixedWindow.of(perDay), Consistency.STRICT),
        rule("bucket", TokenBucket.of(perDay), Consistency.STRICT),
        rule("rolling", RollingWindow.of(perDay), Consistency.STRICT),
        rule("leased", FixedWindow.of(perDay), Consistency.LEASED));
  }

  private static Rule rule(String name, Limit limit, Consistency consistency) {
    return Rule.named(name)
        .match("key", name)
        .limit(limit)
        .consistency(consistency)
        .onStoreFailure(new Allow())
        .build();
  }

  /** Exhausts every limit; returns the admitted requests of each rule, then the fallbacks. */
  static long[] run(RateLimiter limiter) {
    var counts = new AtomicLongArray(RULES.size() + 1);
    try (var threads = Executors.newFixedThreadPool(THREADS)) {
      for (int t = 0; t < THREADS; t++) {
        threads.execute(() -> {
          for (int i = 0; i < EACH; i++) {
            for (int rule = 0; rule < RULES.size(); rule++) {
              var result = limiter.checkForResult(Subject.of(RULES.get(rule)));
              if (result.isAllowed()) counts.incrementAndGet(rule);
              if (result.source() == Source.FALLBACK) counts.incrementAndGet(RULES.size());
            }
          }
        });
      }
    }
    var result = new long[counts.length()];
    for (int i = 0; i < result.length; i++) result[i] = counts.get(i);
    return result;
  }

  /**
   * Checks until Redis decides. A first check loads classes, which takes longer than a check may
   * wait if other processes use the CPU meanwhile.
   */
  private static void awaitFirstDecision(RedisStore store) {
    var rule = rule("first", FixedWindow.of(Rate.perDay(1)), Consistency.STRICT);
    var limiter = RateLimiter.with(store, RuleSet.of(rule));
    while (limiter.checkForResult(Subject.of("first")).source() != Source.STORE) {
      LockSupport.parkNanos(DEADLINE.toNanos());
    }
  }

  /** Connects, and starts at the end of its input. */
  public static void main(String[] arguments) throws IOException {
    var options = RedisOptions.builder(arguments[0]).deadline(DEADLINE).build();
    try (var store = RedisStore.connect(options)) {
      awaitFirstDecision(store);
      System.out.println(READY);
      System.in.readAllBytes();
      var counts = run(RateLimiter.with(store, rules()));
      var text = new StringBuilder();
      for (long count : counts) text.append(count).append(' ');
      System.out.println(text.toString().trim());
    }
  }
}
