package io.headgate.benchmarks.scale;

import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.util.Locale;
import java.util.SplittableRandom;

/** Checks random callers among millions of keys in memory, in one thread. */
final class KeysRun {
  /** So much that no key becomes fresh and is evicted during the measurement. */
  private static final long COST = 1_000;

  private KeysRun() {}

  /**
   * The measurements.
   *
   * @param bytes live heap per key, with its text
   * @param nanos of a check of a random key
   */
  record Result(int keys, double bytes, double nanos, String pauses) {
    String row() {
      return String.format(
          Locale.ROOT,
          "%,d keys: %.1f bytes of live heap a key with its text, %.0f ns a check; pauses of"
              + " garbage collection while checking: %s",
          keys,
          bytes,
          nanos,
          pauses);
    }
  }

  static Result measure(int keys, int checks) throws Exception {
    var limit = TokenBucket.of(Rate.perMinute(6)).withBurst(100_000_000);
    var rules = RuleSet.of(Rule.named("per-user").match("key", "user:*").limit(limit).build());
    var store = MemoryStore.create(Ticker.system(), keys + keys / 2);
    try (var limiter = RateLimiter.with(store, rules)) {
      long before = HeapMeter.live();
      for (int i = 0; i < keys; i++) limiter.check(Request.of(subject(i), COST));
      double bytes = (HeapMeter.live() - before) / (double) keys;
      if (store.trackedKeys() != keys) {
        throw new IllegalStateException(
            "the store has %d keys of %d".formatted(store.trackedKeys(), keys));
      }
      run(limiter, keys, checks / 4);
      try (var meter = new HeapMeter()) {
        double nanos = run(limiter, keys, checks);
        return new Result(keys, bytes, nanos, meter.pauses());
      }
    }
  }

  private static double run(RateLimiter limiter, int keys, int checks) {
    var random = new SplittableRandom(42);
    long start = System.nanoTime();
    for (int i = 0; i < checks; i++) {
      if (!limiter.check(subject(random.nextInt(keys))).isAllowed()) {
        throw new IllegalStateException("a check was denied");
      }
    }
    return (System.nanoTime() - start) / (double) checks;
  }

  private static Subject subject(int number) {
    return Subject.of("user:" + (10_000_000_000L + number));
  }
}
