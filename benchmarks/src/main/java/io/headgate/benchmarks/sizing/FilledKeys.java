package io.headgate.benchmarks.sizing;

import io.headgate.RateLimiter;
import io.headgate.benchmarks.Callers;
import io.headgate.benchmarks.HeadgateRemote;
import io.headgate.limit.Limit;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** Creates the states of many keys, whose names all have the same length. */
final class FilledKeys {
  static final int KEY_LENGTH = 16;
  static final String RULE = "per-user";
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private FilledKeys() {}

  /** Returns a new text for each call, as a request has. */
  static String key(long number) {
    return String.format(Locale.ROOT, "user:%011d", number);
  }

  static RateLimiter limiter(Store store, Limit limit) {
    var rule = Rule.named(RULE).match("key", "user:*").limit(limit).build();
    return RateLimiter.with(store, RuleSet.of(rule));
  }

  /** Waits until the store answers. */
  static void awaitStore(RateLimiter limiter) {
    var first = Request.of(Subject.of("user:first"));
    Eventually.holds(
        "the store answers",
        Duration.ofSeconds(10),
        () -> limiter.checkForResult(first).source() == Source.STORE);
  }

  /** Sends that many requests for each key. */
  static void fill(Callers callers, RateLimiter limiter, long cost, int keys, int each)
      throws Exception {
    var next = new AtomicLong();
    long end = (long) keys * each;
    var outcome =
        callers.run(
            new Filling(limiter, cost),
            () ->
                () -> {
                  long i = next.getAndIncrement();
                  return i < end ? (int) (i % keys) : Callers.NO_MORE;
                },
            TIMEOUT);
    if (outcome.passed() != end) {
      throw new IllegalStateException("of %d requests %d passed".formatted(end, outcome.passed()));
    }
  }

  /** Sends requests for the keys in turn for some time. */
  static Callers.Outcome run(Callers callers, RateLimiter limiter, int keys, Duration time)
      throws Exception {
    var next = new AtomicLong();
    return callers.run(
        new Filling(limiter, 1), () -> () -> (int) (next.getAndIncrement() % keys), time);
  }

  private record Filling(RateLimiter limiter, long cost) implements io.headgate.benchmarks.Remote {
    @Override
    public java.util.concurrent.CompletionStage<Boolean> check(int key) {
      return limiter
          .checkForResultAsync(Request.of(Subject.of(key(key)), cost))
          .thenApply(result -> {
            if (result.source() != Source.FALLBACK) return result.isAllowed();
            throw new IllegalStateException(
                "the store did not answer within %s".formatted(HeadgateRemote.DEADLINE));
          });
    }

    @Override
    public void close() {
      limiter.close();
    }
  }
}
