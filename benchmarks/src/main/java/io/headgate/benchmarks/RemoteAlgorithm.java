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
import io.headgate.redis.KeyLayout;
import java.time.Duration;
import java.util.List;

/** Headgate's algorithms on Redis, with limits that are never reached. */
enum RemoteAlgorithm {
  TOKEN_BUCKET("token bucket"),
  LEAKY_BUCKET("leaky bucket with a queue"),
  FIXED_WINDOW("fixed window"),
  SLIDING_WINDOW("sliding window of 10 buckets"),
  ROLLING_WINDOW("rolling window"),
  CONCURRENCY("concurrency"),
  THREE_LIMITS("three limits: token bucket, fixed window, rolling window"),
  THREE_LIMITS_COMPACT("the same three limits in the layout compact"),
  FAIR_TEN("token bucket that 10 tenants share"),
  FAIR_THOUSAND("token bucket that 1,000 tenants share");

  private static final long PLENTY = 100_000;
  private static final long FAIR_RATE = 10_000_000;

  final String title;

  RemoteAlgorithm(String title) {
    this.title = title;
  }

  /**
   * Returns the limits.
   *
   * @param span the length of every window and slot lease
   */
  List<Limit> limits(Duration span) {
    var rate = Rate.of(PLENTY, span);
    return switch (this) {
      case TOKEN_BUCKET -> List.of(Quota.SLOW.headgate());
      case LEAKY_BUCKET -> List.of(LeakyBucket.of(Rate.perSecond(1)).withQueue(PLENTY));
      case FIXED_WINDOW -> List.of(FixedWindow.of(rate));
      case SLIDING_WINDOW -> List.of(SlidingWindow.of(rate));
      case ROLLING_WINDOW -> List.of(RollingWindow.of(rate));
      case CONCURRENCY -> List.of(Concurrency.of(PLENTY).withLease(span));
      case THREE_LIMITS, THREE_LIMITS_COMPACT ->
          List.of(Quota.SLOW.headgate(), FixedWindow.of(rate), RollingWindow.of(rate));
      case FAIR_TEN, FAIR_THOUSAND ->
          List.of(
              new FairShare(TokenBucket.of(Rate.perSecond(FAIR_RATE)), FairSharing.among("key")));
    };
  }

  /** Returns how its counters are distributed over keys. */
  KeyLayout layout() {
    return this == THREE_LIMITS_COMPACT ? KeyLayout.COMPACT : KeyLayout.SEPARATE;
  }

  /**
   * Returns the number of callers. Those of a limit that is shared fairly are its tenants, and have
   * one counter.
   *
   * @param keys the number of keys of all other limits
   */
  int callers(int keys) {
    return switch (this) {
      case FAIR_TEN -> 10;
      case FAIR_THOUSAND -> 1_000;
      case TOKEN_BUCKET,
          LEAKY_BUCKET,
          FIXED_WINDOW,
          SLIDING_WINDOW,
          ROLLING_WINDOW,
          CONCURRENCY,
          THREE_LIMITS,
          THREE_LIMITS_COMPACT ->
          keys;
    };
  }
}
