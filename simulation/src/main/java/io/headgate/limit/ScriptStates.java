package io.headgate.limit;

import io.headgate.rule.Charge;
import java.util.Arrays;

/** The state operations of the Redis script that the limits themselves do not implement. */
public final class ScriptStates {
  private ScriptStates() {}

  /**
   * Undoes a charge, as the script's {@code give_back} does.
   *
   * @param madeAt the time of the charge
   * @param freshAt the time at which a bucket would have been full after the charge
   * @throws UnsupportedOperationException for a rolling window
   */
  public static State giveBack(Charge charge, State state, long now, long madeAt, long freshAt) {
    return charge.limit() instanceof SlotLimit slots
        ? slots.release(slots.adopt(state, now), now, charge.holder())
        : GiveBack.of(
            charge.limit(), charge.shareOrNone(), state, now, charge.cost(), madeAt, freshAt);
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
