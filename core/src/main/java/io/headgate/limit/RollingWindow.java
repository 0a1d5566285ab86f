package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Exactly: never more than {@code permits} in any window, wherever it begins. Remembers the time of
 * each request, 16 bytes apiece, so it costs memory in proportion to the limit.
 *
 * @param minInterval the least time between two requests; zero for none
 */
public record RollingWindow(Rate rate, Duration minInterval) implements Limit {
  public static final long MOST_PERMITS = 1_000_000;

  public RollingWindow {
    require(
        rate.permits() <= MOST_PERMITS,
        "a rolling window remembers each request, so it may let at most %d pass, got %d;"
            + " use sliding-window for more",
        MOST_PERMITS,
        rate.permits());
    if (!minInterval.isZero()) Bounds.requireLength("min-interval", minInterval);
    require(
        Bounds.micros(minInterval) <= rate.periodMicros(),
        "min-interval %s must not be longer than the window, %s",
        minInterval,
        rate.period());
  }

  public static RollingWindow of(Rate rate) {
    return new RollingWindow(rate, Duration.ZERO);
  }

  @Override
  public Step step(State state, long now, long cost) {
    var log = adopt(state, now);
    long time = Math.max(now, log.last()); // clocks step back; the log must not
    long resetAfter = Math.max(now, log.freshAt()) - now;
    long left = left(log, time);
    if (cost > capacity()) {
      return new Step(log, new ExceedsCapacity(left, resetAfter, cost, capacity()));
    }
    if (cost > left) {
      long fitsAt = Math.max(log.fitsAt(capacity() - cost), log.last() + interval());
      return new Step(log, new Refused(left, resetAfter, fitsAt - now));
    }
    if (cost == 0) return new Step(log, new Passed(left, resetAfter, 0));
    var next = log.plus(time, cost);
    return new Step(next, new Passed(left(next, time), next.freshAt() - now, 0));
  }

  /** A log is a list of facts: under a changed limit they are counted anew, not scaled. */
  @Override
  public RollingState adopt(State state, long now) {
    if (state instanceof RollingState own) {
      return own.under(window(), capacity(), Math.max(now, own.last()));
    }
    long taken = Utilization.scale(state.used(now), capacity());
    var empty = RollingState.empty(window(), capacity());
    return taken == 0 ? empty : empty.plus(now, taken);
  }

  /**
   * Instances can't keep their requests apart from each other's. So each keeps its own apart by n
   * times the interval, up to the window: that makes no more of them in the long run.
   */
  @Override
  public RollingWindow dividedBy(int n) {
    long part = Utilization.among(n, capacity());
    if (n == 1) return this;
    long apart = interval() > window() / n ? window() : interval() * n;
    return new RollingWindow(Rate.of(part, rate.period()), Duration.of(apart, ChronoUnit.MICROS));
  }

  @Override
  public long capacity() {
    return rate.permits();
  }

  @Override
  public long window() {
    return rate.periodMicros();
  }

  @Override
  public String algorithm() {
    return "rolling-window";
  }

  private long left(RollingState log, long time) {
    if (!log.isEmpty() && time < log.last() + interval()) return 0;
    return Math.max(0, capacity() - log.taken());
  }

  private long interval() {
    return Bounds.micros(minInterval);
  }
}
