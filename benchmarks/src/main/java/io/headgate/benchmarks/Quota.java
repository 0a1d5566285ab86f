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

/** A limit that can be created for each of the compared libraries. */
public enum Quota {
  /** A limit that never denies: 1000 per second, with a burst of 10^12. */
  GENEROUS(1_000, Duration.ofSeconds(1), 1_000_000_000_000L),

  /** A limit for many keys that never denies, and whose charges outlast a run. */
  SLOW(6, Duration.ofMinutes(1), 100_000_000),

  /** One per day, so that every request but the first is denied. */
  EXHAUSTED(1, Duration.ofDays(1), 1);

  final long permits;
  final Duration period;
  final long burst;

  Quota(long permits, Duration period, long burst) {
    this.permits = permits;
    this.period = period;
    this.burst = burst;
  }

  /** Returns the limit of Headgate. */
  public TokenBucket headgate() {
    return TokenBucket.of(Rate.of(permits, period)).withBurst(burst);
  }

  CasBucket floor(LongSupplier nanos) {
    long interval = period.toNanos() / permits;
    // Cap the burst at half the range of a signed difference of nanoseconds, over a century.
    boolean fits = burst <= Long.MAX_VALUE / 2 / interval;
    return new CasBucket(interval, fits ? interval * burst : Long.MAX_VALUE / 2, nanos);
  }

  Bucket bucket4j(TimeMeter meter) {
    return Bucket.builder()
        .withCustomTimePrecision(meter)
        .addLimit(limit -> limit.capacity(burst).refillGreedy(permits, period))
        .build();
  }

  /** Returns the configuration of a remote bucket. */
  BucketConfiguration bucket4j() {
    return BucketConfiguration.builder()
        .addLimit(limit -> limit.capacity(burst).refillGreedy(permits, period))
        .build();
  }

  /**
   * Returns a Guava limiter. Its burst is one second's permits, so the quotas that never deny have
   * a rate of 10^9 per second.
   */
  RateLimiter guava() {
    return RateLimiter.create(this == EXHAUSTED ? 1 / (double) period.toSeconds() : 1e9);
  }

  /**
   * Returns a resilience4j configuration. It counts in an int, so the quotas that never deny have
   * the highest int per second.
   */
  RateLimiterConfig resilience4j() {
    return RateLimiterConfig.custom()
        .limitForPeriod(this == EXHAUSTED ? 1 : Integer.MAX_VALUE)
        .limitRefreshPeriod(this == EXHAUSTED ? period : Duration.ofSeconds(1))
        .timeoutDuration(Duration.ZERO)
        .build();
  }
}
