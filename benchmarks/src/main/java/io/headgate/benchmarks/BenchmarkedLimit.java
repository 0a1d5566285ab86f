package io.headgate.benchmarks;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.time.Duration;
import java.util.List;

/** Limits that admit every request if one arrives every {@link #STEP_MICROS} µs. */
public enum BenchmarkedLimit {
  TOKEN_BUCKET("token bucket"),
  ODD_RATE("token bucket of 999,983 a second, whose state does not fit one word"),
  LEAKY_BUCKET("leaky bucket, rejecting"),
  LEAKY_QUEUE("leaky bucket, with a queue of 100"),
  FIXED_WINDOW("fixed window"),
  SLIDING_WINDOW("sliding window of 10 buckets"),
  ROLLING_WINDOW("rolling window, 100 requests in it"),
  CONCURRENCY("concurrency, 100 in flight"),
  THREE_LIMITS("three limits in one rule: token bucket, fixed window, sliding window"),
  FAIR_TEN("token bucket that 10 tenants share"),
  FAIR_HUNDRED("token bucket that 100 tenants share"),
  FAIR_THOUSAND("token bucket that 1,000 tenants share");

  /** The time between requests; a window of a millisecond has 100 of them. */
  static final long STEP_MICROS = 10;

  private static final Rate BUCKETS = Rate.perSecond(200_000);
  private static final Rate WINDOWS = Rate.of(200, Duration.ofMillis(1));

  final String title;

  BenchmarkedLimit(String title) {
    this.title = title;
  }

  Rule rule() {
    var rule = Rule.named("per-user").match("key", "user:*");
    for (var limit : limits()) rule.limit(RuleLimit.of(limit.algorithm().id(), limit));
    return rule.build();
  }

  /** Returns the number of callers that take turns; more than one only if they share a counter. */
  int callers() {
    return switch (this) {
      case FAIR_TEN -> 10;
      case FAIR_HUNDRED -> 100;
      case FAIR_THOUSAND -> 1_000;
      case TOKEN_BUCKET,
          ODD_RATE,
          LEAKY_BUCKET,
          LEAKY_QUEUE,
          FIXED_WINDOW,
          SLIDING_WINDOW,
          ROLLING_WINDOW,
          CONCURRENCY,
          THREE_LIMITS ->
          1;
    };
  }

  private List<Limit> limits() {
    return switch (this) {
      case TOKEN_BUCKET -> List.of(TokenBucket.of(BUCKETS).withBurst(200));
      case ODD_RATE -> List.of(TokenBucket.of(Rate.perSecond(999_983)));
      case LEAKY_BUCKET -> List.of(LeakyBucket.of(BUCKETS));
      case LEAKY_QUEUE -> List.of(LeakyBucket.of(BUCKETS).withQueue(100));
      case FIXED_WINDOW -> List.of(FixedWindow.of(WINDOWS));
      case SLIDING_WINDOW -> List.of(SlidingWindow.of(WINDOWS));
      case ROLLING_WINDOW -> List.of(RollingWindow.of(WINDOWS));
      case CONCURRENCY -> List.of(Concurrency.of(200).withLease(Duration.ofMillis(1)));
      case THREE_LIMITS ->
          List.of(
              TokenBucket.of(BUCKETS).withBurst(200),
              FixedWindow.of(WINDOWS),
              SlidingWindow.of(WINDOWS));
      case FAIR_TEN, FAIR_HUNDRED, FAIR_THOUSAND ->
          List.of(new FairShare(TokenBucket.of(BUCKETS).withBurst(200), FairSharing.among("key")));
    };
  }
}
