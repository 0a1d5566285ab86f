package io.headgate.benchmarks;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** The limiters whose memory per key is measured after one request each. */
enum MeasuredLimiter {
  FLOOR("baseline, in a map"),
  GUAVA("Guava, in a map"),
  BUCKET4J("bucket4j, in a map"),
  RESILIENCE4J("resilience4j, in a map"),
  TOKEN_BUCKET("**Headgate, token bucket**"),
  ODD_RATE("Headgate, token bucket of 999,983 an hour, whose state does not fit one word"),
  LEAKY_BUCKET("Headgate, leaky bucket"),
  FIXED_WINDOW("Headgate, fixed window"),
  SLIDING_WINDOW("Headgate, sliding window of 10 buckets"),
  ROLLING_WINDOW("Headgate, rolling window"),
  CONCURRENCY("Headgate, concurrency");

  final String title;

  MeasuredLimiter(String title) {
    this.title = title;
  }

  /** A limiter that holds the states of all keys. */
  Object fill(String[] keys) {
    return switch (this) {
      case FLOOR -> map(keys, MeasuredLimiter::floor);
      case GUAVA -> map(keys, MeasuredLimiter::guava);
      case BUCKET4J -> map(keys, MeasuredLimiter::bucket4j);
      case RESILIENCE4J -> resilience4j(keys);
      case TOKEN_BUCKET -> headgate(keys, TokenBucket.of(aYear(10)), 1);
      // At this rate one permit is replenished during the run, so each request takes nearly all.
      case ODD_RATE -> headgate(keys, TokenBucket.of(Rate.perHour(999_983)), 999_000);
      case LEAKY_BUCKET -> headgate(keys, LeakyBucket.of(aYear(10)), 1);
      case FIXED_WINDOW -> headgate(keys, FixedWindow.of(aYear(10)), 1);
      case SLIDING_WINDOW -> headgate(keys, SlidingWindow.of(aYear(10)), 1);
      case ROLLING_WINDOW -> headgate(keys, RollingWindow.of(aYear(10)), 1);
      case CONCURRENCY -> headgate(keys, Concurrency.of(10).withLease(Duration.ofDays(1)), 1);
    };
  }

  private static <T> Object map(String[] keys, Function<String, T> made) {
    var map = new ConcurrentHashMap<String, T>();
    for (var key : keys) map.put(key, made.apply(key));
    return map;
  }

  private static AtomicLong floor(String key) {
    var state = new AtomicLong();
    requirePassed(key, Quota.SLOW.floor(System::nanoTime).take(state));
    return state;
  }

  private static Object guava(String key) {
    var limiter = Quota.SLOW.guava();
    requirePassed(key, limiter.tryAcquire());
    return limiter;
  }

  private static Object bucket4j(String key) {
    var bucket = Quota.SLOW.bucket4j(Clock.SYSTEM.meter());
    requirePassed(key, bucket.tryConsume(1));
    return bucket;
  }

  private static Object resilience4j(String[] keys) {
    var config = Quota.SLOW.resilience4j();
    return map(
        keys,
        key -> {
          var limiter = RateLimiter.of(key, config);
          requirePassed(key, limiter.acquirePermission());
          return limiter;
        });
  }

  private static Object headgate(String[] keys, Limit limit, long cost) {
    var rules = RuleSet.of(Rule.named("per-user").match("key", "user:*").limit(limit).build());
    // Capacity is divided among the store's segments, and keys are not spread quite evenly.
    var store = MemoryStore.create(Ticker.system(), keys.length * 3 / 2 + 1_000);
    var limiter = io.headgate.RateLimiter.with(store, rules);
    for (var key : keys)
      requirePassed(key, limiter.check(Request.of(Subject.of(key), cost)).isAllowed());
    if (store.trackedKeys() != keys.length) {
      throw new IllegalStateException(
          "the store keeps %d keys of %d".formatted(store.trackedKeys(), keys.length));
    }
    return limiter;
  }

  private static Rate aYear(long permits) {
    return Rate.of(permits, Duration.ofDays(365));
  }

  private static void requirePassed(String key, boolean passed) {
    if (!passed) throw new IllegalStateException(key + " was denied its first request");
  }
}
