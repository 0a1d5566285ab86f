package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Rolling window log: at most {@code permits} in any window, wherever it begins. Stores the time of
 * each request in 16 bytes, so the memory is proportional to the limit.
 *
 * @param rate the permits and the length of the window
 * @param minInterval the minimum time between two requests; zero for none
 */
public record RollingWindow(Rate rate, Duration minInterval) implements Limit {
  /** The highest number of permits, since each request is stored. */
  public static final long MAX_PERMITS = 1_000_000;

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public RollingWindow {
    require(
        rate.permits() <= MAX_PERMITS,
        "a rolling window stores each request, so it may have at most %d permits, got %d;"
            + " use sliding-window for more",
        MAX_PERMITS,
        rate.permits());
    if (!minInterval.isZero()) Bounds.requireDuration("min-interval", minInterval);
    require(
        Bounds.micros(minInterval) <= rate.periodMicros(),
        "min-interval %s must not be longer than the window, %s",
        minInterval,
        rate.period());
  }

  /** Creates a limit without a minimum interval. */
  public static RollingWindow of(Rate rate) {
    return new RollingWindow(rate, Duration.ZERO);
  }

  /**
   * Returns this limit with another minimum interval.
   *
   * @param minInterval the minimum time between two requests; zero for none
   * @throws IllegalArgumentException if it is negative, longer than the window or not a whole
   *     number of microseconds
   */
  public RollingWindow withMinInterval(Duration minInterval) {
    return new RollingWindow(rate, minInterval);
  }

  @Override
  public Step step(State state, long now, long cost) {
    var log = adopt(state, now);
    long time = Math.max(now, log.last()); // the log stays ordered if the clock steps back
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

  /** Counts the requests of another rolling window's log anew; scales the usage of other limits. */
  @Override
  public RollingState adopt(State state, long now) {
    if (state instanceof RollingState own) {
      return own.readBy(window(), capacity(), Math.max(now, own.last()));
    }
    long taken = Utilization.scale(state.used(now), capacity());
    var empty = RollingState.empty(window(), capacity());
    return taken == 0 ? empty : empty.plus(now, taken);
  }

  /**
   * Divides the permits, and multiplies the minimum interval by {@code n}, up to the window. The
   * instances can't space their requests relative to each other, so each spaces its own further,
   * and together they admit no more requests in the long run.
   */
  @Override
  public RollingWindow dividedBy(int n) {
    long part = Utilization.partOf(n, capacity());
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
  public Algorithm algorithm() {
    return Algorithm.ROLLING_WINDOW;
  }

  private long left(RollingState log, long time) {
    if (!log.isEmpty() && time < log.last() + interval()) return 0;
    return Math.max(0, capacity() - log.taken());
  }

  private long interval() {
    return Bounds.micros(minInterval);
  }
}
