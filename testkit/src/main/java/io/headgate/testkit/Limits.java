package io.headgate.testkit;

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

/** A limit of every kind, to run the same scenario with each. */
public final class Limits {

  /**
   * One of each kind. Windows are cut on whole seconds, and each comes back within minutes.
   *
   * @param permits what all but the leaky bucket without a line can give at once
   */
  public static List<Limit> ofEveryKind(long permits) {
    var rate = Rate.of(permits, Duration.ofSeconds(100));
    return List.of(
        new TokenBucket(rate),
        // So many permits in lowest terms that no state of it fits a word.
        new TokenBucket(Rate.of(999_983, Duration.ofSeconds(100)), permits),
        LeakyBucket.rejecting(rate),
        LeakyBucket.queueing(rate, Math.max(1, permits - 1)),
        LeakyBucket.queueing(rate, Duration.ofSeconds(50)),
        FixedWindow.of(rate),
        new FixedWindow(permits, new Window.Calendar(Window.Unit.HOUR, ZoneOffset.UTC)),
        SlidingWindow.of(rate),
        new SlidingWindow(rate, 4, SlidingWindow.Bound.CONSERVATIVE),
        RollingWindow.of(rate),
        new Concurrency(permits, Duration.ofSeconds(100)));
  }

  private Limits() {}
}
