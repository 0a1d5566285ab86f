package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import org.jspecify.annotations.Nullable;

/**
 * Fixed window counter: at most {@code permits} in each window. Windows are independent, so up to
 * twice as many permits may pass in a window's length across a boundary. Has the smallest state,
 * and is the algorithm for quotas per calendar day or month.
 *
 * @param permits the permits of one window
 * @param alignment where windows begin and end
 */
public record FixedWindow(long permits, Window alignment) implements Holdable {
  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public FixedWindow {
    require(permits >= 1, "a window needs at least 1 permit, got %d", permits);
    require(
        permits <= Bounds.MAX_PERMITS,
        "a window may have at most 2^52 - 1 permits, which are counted exactly, got %d",
        permits);
  }

  /** Creates a limit whose windows have the period of the rate and are aligned to the epoch. */
  public static FixedWindow of(Rate rate) {
    return new FixedWindow(rate.permits(), new Window.Epoch(rate.period()));
  }

  /**
   * Creates a limit with other windows, such as calendar months.
   *
   * @param permits the permits of one window, 1 to 2^52 - 1
   */
  public static FixedWindow of(long permits, Window alignment) {
    return new FixedWindow(permits, alignment);
  }

  /**
   * Returns this limit with other windows, such as calendar days instead of 24 hours. The permits
   * of one window remain.
   */
  public FixedWindow withAlignment(Window alignment) {
    return new FixedWindow(permits, alignment);
  }

  @Override
  public Step step(State state, long now, long cost) {
    var window = adopt(state, now);
    long left = Math.max(0, permits - window.count()); // charged() may exceed the limit
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
      // If the clock stepped back, the latest window continues.
      if (now < own.end()) return own;
      return new WindowState(alignment.endAfter(now), 0, permits, own.alignment());
    }
    long count = Utilization.scale(state.used(now), permits);
    return new WindowState(alignment.endAfter(now), count, permits, alignment.signature());
  }

  @Override
  public WindowState charged(State state, long now, long cost) {
    var window = adopt(state, now);
    return window.plus(Math.min(cost, Bounds.MAX - window.count()));
  }

  @Override
  public long chargeable(State state, long now, long cost) {
    return Math.min(cost, Bounds.MAX - adopt(state, now).count());
  }

  @Override
  public boolean isOwn(State state) {
    return state instanceof WindowState own
        && own.permits() == permits
        && own.alignment() == alignment.signature();
  }

  @Override
  public FixedWindow dividedBy(int n) {
    long part = Utilization.partOf(n, permits);
    return n == 1 ? this : new FixedWindow(part, alignment);
  }

  @Override
  public @Nullable FixedWindow partOf(int permille) {
    long part = Utilization.partOf(permits, permille);
    return part == 0 ? null : part == permits ? this : new FixedWindow(part, alignment);
  }

  @Override
  public long capacity() {
    return permits;
  }

  @Override
  public long window() {
    return alignment.maxLength();
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.FIXED_WINDOW;
  }
}
