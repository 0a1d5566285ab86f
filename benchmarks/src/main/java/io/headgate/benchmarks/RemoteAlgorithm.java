package io.headgate.benchmarks;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
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
  THREE_LIMITS("three limits: token bucket, fixed window, rolling window");

  private static final long PLENTY = 100_000;

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
      case THREE_LIMITS ->
          List.of(Quota.SLOW.headgate(), FixedWindow.of(rate), RollingWindow.of(rate));
    };
  }
}
