package io.headgate.testkit;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;

/** Creates limits of every algorithm, to run the same scenario with each. */
public final class Limits {

  /**
   * Returns limits of every algorithm and variant. Windows begin on whole seconds, and each limit
   * is fully replenished within minutes, except the calendar window of one hour.
   *
   * @param permits the capacity of all limits except the leaky bucket without a queue
   */
  public static List<Limit> ofEveryKind(long permits) {
    var rate = Rate.of(permits, Duration.ofSeconds(100));
    return List.of(
        TokenBucket.of(rate),
        // In lowest terms the rate has so many permits that its state does not fit into a long.
        TokenBucket.of(Rate.of(999_983, Duration.ofSeconds(100))).withBurst(permits),
        LeakyBucket.of(rate),
        LeakyBucket.of(rate).withQueue(Math.max(1, permits - 1)),
        LeakyBucket.of(rate).withMaxWait(Duration.ofSeconds(50)),
        FixedWindow.of(rate),
        FixedWindow.of(permits, new Window.Calendar(Window.Unit.HOUR, ZoneOffset.UTC)),
        SlidingWindow.of(rate),
        SlidingWindow.of(rate).withBuckets(4).withBound(SlidingWindow.Bound.CONSERVATIVE),
        RollingWindow.of(rate),
        Concurrency.of(permits).withLease(Duration.ofSeconds(100)),
        // Without room to adapt, so that the capacity is known.
        new AdaptiveConcurrency(permits, permits, permits, Duration.ofSeconds(100)));
  }

  private Limits() {}
}
