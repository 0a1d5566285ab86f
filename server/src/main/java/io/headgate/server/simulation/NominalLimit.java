package io.headgate.server.simulation;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.Stateless;
import io.headgate.limit.TokenBucket;

/**
 * The nominal meaning of a limit: a number of permits in a window. Used to compare all algorithms
 * by the same measure, although some of them guarantee something else.
 *
 * @param window in microseconds; for a concurrency limit, the lease of a slot
 */
public record NominalLimit(long window, long permits) {
  /** Returns the nominal limit of a limit. */
  public static NominalLimit of(Limit limit) {
    return switch (limit) {
      case TokenBucket bucket -> of(bucket.rate());
      case FairShare fair -> of(fair.bucket().rate());
      case LeakyBucket bucket -> of(bucket.rate());
      case FixedWindow fixed -> new NominalLimit(fixed.window(), fixed.permits());
      case SlidingWindow sliding -> of(sliding.rate());
      case RollingWindow rolling -> of(rolling.rate());
      case Concurrency slots -> new NominalLimit(slots.window(), slots.max());
      case AdaptiveConcurrency slots -> new NominalLimit(slots.window(), slots.initial());
      case Stateless stateless -> new NominalLimit(stateless.window(), stateless.capacity());
    };
  }

  private static NominalLimit of(Rate rate) {
    return new NominalLimit(rate.periodMicros(), rate.permits());
  }
}
