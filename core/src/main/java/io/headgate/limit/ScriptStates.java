package io.headgate.limit;

import java.util.Arrays;

/** The state operations of remote stores that the limits themselves do not implement. */
public final class ScriptStates {
  /** A request of a rolling window stays charged if more requests have followed it. */
  private static final int MAX_RENUMBERED = 1_000;

  private ScriptStates() {}

  /**
   * Undoes a charge. The Redis script mirrors this function as {@code give_back}.
   *
   * @param holder the holder of slots
   * @param share the tenant of a limit that is shared fairly
   * @param history the earlier returns to a token bucket
   * @param charge the times of the charge
   */
  public static GiveBack.Returned giveBack(
      Limit limit,
      State state,
      ReturnHistory history,
      long now,
      long cost,
      long holder,
      Share share,
      GiveBack.Receipt charge) {
    return switch (limit) {
      case SlotLimit slots ->
          new GiveBack.Returned(slots.release(slots.adopt(state, now), now, holder), history);
      case RollingWindow window -> {
        long at = charge.freshAt() - window.window();
        var next = window.adopt(state, now).without(at, cost, MAX_RENUMBERED);
        yield new GiveBack.Returned(next, history);
      }
      case Holdable holdable -> GiveBack.of(limit, share, state, history, now, cost, charge);
      case LeakyBucket bucket -> GiveBack.of(limit, share, state, history, now, cost, charge);
      case FairShare fair -> GiveBack.of(limit, share, state, history, now, cost, charge);
      case Stateless stateless -> throw new IllegalStateException("has no state: " + stateless);
    };
  }

  /** Returns the algorithm and numbers of a state in the encoding of the script's reply. */
  public static long[] numbers(Holdable limit, State state) {
    return switch (limit) {
      case TokenBucket bucket -> {
        var current = (BucketState) state;
        yield new long[] {1, current.emptyAt(), current.slack(), current.refillTime()};
      }
      case FixedWindow window -> {
        var current = (WindowState) state;
        yield new long[] {
          2, current.end(), current.count(), current.permits(), current.alignment()
        };
      }
      case SlidingWindow window -> {
        var current = (SlidingState) state;
        var counts = counts(window, current);
        var all = new long[4 + counts.length];
        all[0] = 3;
        all[1] = bucketIndex(window, current);
        all[2] = width(window);
        all[3] = window.capacity();
        System.arraycopy(counts, 0, all, 4, counts.length);
        yield all;
      }
    };
  }

  /** Returns the number of permits held by instances, which may have spent some of them. */
  public static long held(State state) {
    return HeldState.total(HeldState.holds(state));
  }

  private static long[] counts(SlidingWindow window, SlidingState state) {
    var counts = new long[window.buckets() + 1];
    Arrays.setAll(counts, state::oldest);
    return counts;
  }

  private static long bucketIndex(SlidingWindow window, SlidingState state) {
    return state.start() / width(window);
  }

  private static long width(SlidingWindow window) {
    return window.window() / window.buckets();
  }
}
