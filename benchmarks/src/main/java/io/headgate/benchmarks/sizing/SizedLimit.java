package io.headgate.benchmarks.sizing;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The limits whose states differ in size. Their names are those of the figures. */
enum SizedLimit {
  TOKEN_BUCKET,
  /** A token bucket whose state does not fit one word of the memory store. */
  TOKEN_BUCKET_WIDE,
  LEAKY_BUCKET,
  FIXED_WINDOW,
  SLIDING_WINDOW,
  ROLLING_WINDOW,
  CONCURRENCY,
  ADAPTIVE_CONCURRENCY;

  private static final long PERMITS = 100_000;

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the limit.
   *
   * @param span the length of windows and slot leases
   * @param buckets the number of buckets of a sliding window
   */
  Limit limit(Duration span, int buckets) {
    var rate = Rate.of(PERMITS, span);
    return switch (this) {
      case TOKEN_BUCKET -> TokenBucket.of(Rate.perMinute(6)).withBurst(PERMITS);
      case TOKEN_BUCKET_WIDE -> TokenBucket.of(Rate.perHour(999_983));
      case LEAKY_BUCKET -> LeakyBucket.of(Rate.perMinute(6)).withQueue(PERMITS);
      case FIXED_WINDOW -> FixedWindow.of(rate);
      case SLIDING_WINDOW -> SlidingWindow.of(rate).withBuckets(buckets);
      case ROLLING_WINDOW -> RollingWindow.of(rate);
      case CONCURRENCY -> Concurrency.of(PERMITS).withLease(span);
      case ADAPTIVE_CONCURRENCY ->
          AdaptiveConcurrency.between(1_000, PERMITS).withInitial(10_000).withLease(span);
    };
  }

  /** Returns the cost of a request whose state lasts for the whole measurement. */
  long cost() {
    return this == TOKEN_BUCKET_WIDE ? 999_000 : 1;
  }

  /**
   * Returns the numbers of units at which the state is measured: requests, slots or buckets. One
   * number if the size is constant.
   */
  List<Integer> units() {
    return switch (this) {
      case TOKEN_BUCKET, TOKEN_BUCKET_WIDE, LEAKY_BUCKET, FIXED_WINDOW -> List.of(1);
      case SLIDING_WINDOW -> List.of(10, 20);
      case ROLLING_WINDOW -> List.of(1, 200); // both packed; see StateModel
      case CONCURRENCY, ADAPTIVE_CONCURRENCY -> List.of(1, 100);
    };
  }

  /** Returns whether a unit is a request, so that more of them need more requests. */
  boolean growsByRequest() {
    return switch (this) {
      case TOKEN_BUCKET, TOKEN_BUCKET_WIDE, LEAKY_BUCKET, FIXED_WINDOW, SLIDING_WINDOW -> false;
      case ROLLING_WINDOW, CONCURRENCY, ADAPTIVE_CONCURRENCY -> true;
    };
  }
}
