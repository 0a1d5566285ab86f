package io.headgate.server.cli.bench;

import io.headgate.limit.FairShare;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.Stateless;
import io.headgate.limit.TokenBucket;
import java.math.BigInteger;
import java.util.OptionalLong;

/** The highest number of permits that a limit hands out to one counter in any span of a length. */
public final class AdmissionBound {
  private AdmissionBound() {}

  /**
   * Returns the bound.
   *
   * @param micros the length of the span, in microseconds
   * @return empty for limits without such a bound: slots, shared limits, limits that follow the
   *     load
   */
  public static OptionalLong of(Limit limit, long micros) {
    return switch (limit) {
      case TokenBucket bucket -> OptionalLong.of(bucket.burst() + refilled(bucket.rate(), micros));
      // The request that is served and those in the queue; then one for each interval.
      case LeakyBucket bucket ->
          OptionalLong.of(bucket.capacity() + 1 + refilled(bucket.rate(), micros));
      // A span shorter than half a window touches two windows. Calendar windows differ in length.
      case FixedWindow window ->
          OptionalLong.of(times(window.permits(), 2 + 2 * micros / window.window()));
      case SlidingWindow window -> OptionalLong.of(sliding(window, micros));
      case RollingWindow window ->
          OptionalLong.of(times(window.capacity(), 1 + micros / window.window()));
      case SlotLimit slots -> OptionalLong.empty();
      case FairShare fair -> OptionalLong.empty();
      case Stateless stateless -> OptionalLong.empty();
    };
  }

  /** The interpolated count limits spans that are shorter than the window by one bucket. */
  private static long sliding(SlidingWindow window, long micros) {
    long limited = window.window() - window.window() / window.buckets();
    long spans = limited == 0 ? 2 + 2 * micros / window.window() : 1 + micros / limited;
    return times(window.capacity(), spans);
  }

  private static long refilled(Rate rate, long micros) {
    return BigInteger.valueOf(rate.permits())
        .multiply(BigInteger.valueOf(micros))
        .divide(BigInteger.valueOf(rate.periodMicros()))
        .min(BigInteger.valueOf(Long.MAX_VALUE / 4))
        .longValueExact();
  }

  private static long times(long permits, long spans) {
    return permits > Long.MAX_VALUE / spans ? Long.MAX_VALUE : permits * spans;
  }
}
