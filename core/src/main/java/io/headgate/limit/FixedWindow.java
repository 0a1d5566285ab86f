package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;

/**
 * At most {@code permits} in each window, whatever came in the one before: up to twice as many
 * across a boundary. The cheapest to keep, and the one for quotas that follow the calendar.
 */
public record FixedWindow(long permits, Window cut) implements Holdable {
  public FixedWindow {
    require(permits >= 1, "a window must let at least 1 pass, got %d", permits);
    require(permits <= Bounds.MAX, "a window may let at most 2^53 pass, got %d", permits);
  }

  public static FixedWindow of(Rate rate) {
    return new FixedWindow(rate.permits(), new Window.Epoch(rate.period()));
  }

  @Override
  public Step step(State state, long now, long cost) {
    var window = adopt(state, now);
    long left = Math.max(0, permits - window.count()); // more may have been charged
    long resetAfter = window.count() == 0 ? 0 : window.end() - now;
    if (cost > permits)
      return new Step(window, new ExceedsCapacity(left, resetAfter, cost, permits));
    if (cost > left) return new Step(window, new Refused(left, resetAfter, window.end() - now));
    if (cost == 0) return new Step(window, new Passed(left, resetAfter, 0));
    return new Step(window.plus(cost), new Passed(left - cost, window.end() - now, 0));
  }

  @Override
  public WindowState adopt(State state, long now) {
    if (state instanceof WindowState own && isOwn(own)) {
      // Also when the clock has stepped back: the window that was entered last goes on.
      if (now < own.end()) return own;
      return new WindowState(cut.endAfter(now), 0, permits, own.cut());
    }
    long count = Utilization.scale(state.used(now), permits);
    return new WindowState(cut.endAfter(now), count, permits, cut.signature());
  }

  @Override
  public WindowState charged(State state, long now, long cost) {
    var window = adopt(state, now);
    return window.plus(Math.min(cost, Bounds.MAX - window.count()));
  }

  @Override
  public boolean isOwn(State state) {
    return state instanceof WindowState own
        && own.permits() == permits
        && own.cut() == cut.signature();
  }

  @Override
  public FixedWindow dividedBy(int n) {
    long part = Utilization.among(n, permits);
    return n == 1 ? this : new FixedWindow(part, cut);
  }

  @Override
  public long capacity() {
    return permits;
  }

  @Override
  public long window() {
    return cut.longest();
  }

  @Override
  public String algorithm() {
    return "fixed-window";
  }
}
