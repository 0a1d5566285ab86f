package io.headgate.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.TimeMeter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import java.time.Duration;
import java.util.function.LongSupplier;

/** One limit, in the terms of each library that is compared. */
public enum Quota {
  /** So high that nothing is ever denied: 1000 a second, with 10^12 in hand. */
  GENEROUS(1_000, Duration.ofSeconds(1), 1_000_000_000_000L),

  /** For many keys: as generous, but what was taken stays owed for longer than a run lasts. */
  SLOW(6, Duration.ofMinutes(1), 100_000_000),

  /** One a day, so that all but the first request is denied. */
  EXHAUSTED(1, Duration.ofDays(1), 1);

  final long permits;
  final Duration period;
  final long burst;

  Quota(long permits, Duration period, long burst) {
    this.permits = permits;
    this.period = period;
    this.burst = burst;
  }

  TokenBucket headgate() {
    return new TokenBucket(Rate.of(permits, period), burst);
  }

  CasBucket floor(LongSupplier nanos) {
    long interval = period.toNanos() / permits;
    // Beyond a century, and all that a signed difference of nanoseconds can hold, it makes no odds.
    boolean fits = burst <= Long.MAX_VALUE / 2 / interval;
    return new CasBucket(interval, fits ? interval * burst : Long.MAX_VALUE / 2, nanos);
  }

  Bucket bucket4j(TimeMeter meter) {
    return Bucket.builder()
        .withCustomTimePrecision(meter)
        .addLimit(limit -> limit.capacity(burst).refillGreedy(permits, period))
        .build();
  }

  /** For a bucket that is kept elsewhere. */
  BucketConfiguration bucket4j() {
    return BucketConfiguration.builder()
        .addLimit(limit -> limit.capacity(burst).refillGreedy(permits, period))
        .build();
  }

  /**
   * Guava has no burst beyond one second's permits, so a generous limit needs a high rate instead.
   */
  RateLimiter guava() {
    return RateLimiter.create(this == EXHAUSTED ? 1 / (double) period.toSeconds() : 1e9);
  }

  /** Resilience4j counts in an int per period, so a generous limit is the largest one a second. */
  RateLimiterConfig resilience4j() {
    return RateLimiterConfig.custom()
        .limitForPeriod(this == EXHAUSTED ? 1 : Integer.MAX_VALUE)
        .limitRefreshPeriod(this == EXHAUSTED ? period : Duration.ofSeconds(1))
        .timeoutDuration(Duration.ZERO)
        .build();
  }
}
