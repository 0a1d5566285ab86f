package io.headgate.limit;

import io.headgate.rule.Charge;
import java.util.Arrays;

/** What the Redis script does with states and the limits themselves have no function for. */
public final class ScriptStates {
  private ScriptStates() {}

  /**
   * The state after {@code HeldState} leases that are over have been charged, in the limit's terms.
   */
  private static State known(Limit limit, State state, long now) {
    if (!(state instanceof HeldState held)) return limit.adopt(state, now);
    if (!(limit instanceof Holdable divisible)) return limit.adopt(held, now);
    var settled = HeldState.settled(divisible, held, now);
    return HeldState.of(
        limit.adopt(HeldState.bare(settled), now), divisible, HeldState.holdings(settled));
  }

  /** Undoes a charge, as {@code give_back} of the script does. */
  public static State giveBack(Charge charge, State state, long now, long madeAt, long freshAt) {
    var limit = charge.limit();
    long cost = charge.cost();
    var own = known(limit, state, now);
    var bare = HeldState.bare(own);
    State next =
        switch (limit) {
          case TokenBucket bucket ->
              bucket(bucket.bucket(), (BucketState) bare, now, cost, freshAt);
          case LeakyBucket bucket ->
              bucket(bucket.bucket(), (BucketState) bare, now, cost, freshAt);
          case FixedWindow window -> fixed(window, (WindowState) bare, cost, madeAt);
          case SlidingWindow window -> sliding(window, (SlidingState) bare, cost, madeAt);
          case RollingWindow window ->
              throw new UnsupportedOperationException("a rolling window gives nothing back here");
          case Concurrency slots -> slots.release(bare, now, charge.holder());
        };
    return limit instanceof Holdable divisible
        ? HeldState.of(next, divisible, HeldState.holdings(own))
        : next;
  }

  /** At most what would be left of the debt had there been no charge since. */
  private static State bucket(
      Bucket bucket, BucketState state, long now, long cost, long wasFreshAt) {
    long wait = state.emptyAt() - now;
    long unpaid = wasFreshAt - now;
    if (wait <= 0 || wait > state.drain() || unpaid <= 0) return state;
    var rate = bucket.rate();
    long back = cost * rate.unitPeriod;
    if (unpaid * rate.unitPermits < back) back = unpaid * rate.unitPermits;
    long rest = Math.max(0, wait * rate.unitPermits - state.slack() - back);
    long repaidIn = Math.ceilDiv(rest, rate.unitPermits);
    return new BucketState(now + repaidIn, repaidIn * rate.unitPermits - rest, state.drain());
  }

  /** A charge of another window than the current one has ended with it. */
  private static State fixed(FixedWindow limit, WindowState state, long cost, long madeAt) {
    if (limit.cut().endAfter(madeAt) != state.end()) return state;
    return new WindowState(
        state.end(), Math.max(0, state.count() - cost), state.permits(), state.cut());
  }

  private static State sliding(SlidingWindow window, SlidingState state, long cost, long madeAt) {
    var counts = counts(window, state);
    long age = piece(window, state) - Math.floorDiv(madeAt, width(window));
    if (age > window.buckets()) return state;
    long rest = cost;
    for (int i = (int) (window.buckets() - age); i < counts.length; i++) {
      long back = Math.min(rest, counts[i]);
      counts[i] -= back;
      rest -= back;
    }
    return SlidingState.of(piece(window, state), width(window), window.capacity(), counts);
  }

  /** The algorithm of a state and its numbers, as the script reports them. */
  public static long[] numbers(Holdable limit, State state) {
    return switch (limit) {
      case TokenBucket bucket -> {
        var own = (BucketState) state;
        yield new long[] {1, own.emptyAt(), own.slack(), own.drain()};
      }
      case FixedWindow window -> {
        var own = (WindowState) state;
        yield new long[] {2, own.end(), own.count(), own.permits(), own.cut()};
      }
      case SlidingWindow window -> {
        var own = (SlidingState) state;
        var counts = counts(window, own);
        var all = new long[4 + counts.length];
        all[0] = 3;
        all[1] = piece(window, own);
        all[2] = width(window);
        all[3] = window.capacity();
        System.arraycopy(counts, 0, all, 4, counts.length);
        yield all;
      }
    };
  }

  /** How many permits of a state are held, by instances that may have spent some of them. */
  public static long held(State state) {
    return HeldState.total(HeldState.holdings(state));
  }

  private static long[] counts(SlidingWindow window, SlidingState state) {
    var counts = new long[window.buckets() + 1];
    Arrays.setAll(counts, state::oldest);
    return counts;
  }

  private static long piece(SlidingWindow window, SlidingState state) {
    return state.start() / width(window);
  }

  private static long width(SlidingWindow window) {
    return window.window() / window.buckets();
  }
}
