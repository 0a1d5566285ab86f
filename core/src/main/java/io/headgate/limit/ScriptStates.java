package io.headgate.limit;

import java.util.Arrays;

/** The state operations of remote stores that the limits themselves do not implement. */
public final class ScriptStates {
  /** A request of a rolling window stays charged if more requests have followed it. */
  private static final int MAX_RENUMBERED = 1_000;

  private ScriptStates() {}

  /**
   * Returns the state in the limit's representation, after charging the holds of {@code HeldState}
   * whose leases have expired.
   */
  private static State adopted(Limit limit, State state, long now) {
    if (!(state instanceof HeldState held)) return limit.adopt(state, now);
    if (!(limit instanceof Holdable holdable)) return limit.adopt(held, now);
    var settled = HeldState.expireHolds(holdable, held, now);
    return HeldState.of(
        limit.adopt(HeldState.withoutHolds(settled), now), holdable, HeldState.holds(settled));
  }

  /**
   * Undoes a charge. The Redis script mirrors this function as {@code give_back}.
   *
   * @param holder the holder of slots
   * @param share the tenant of a limit that is shared fairly
   * @param madeAt the time of the charge
   * @param freshAt the time at which a bucket would have been full after the charge
   */
  public static State giveBack(
      Limit limit,
      State state,
      long now,
      long cost,
      long holder,
      Share share,
      long madeAt,
      long freshAt) {
    var current = adopted(limit, state, now);
    var bare = HeldState.withoutHolds(current);
    State next =
        switch (limit) {
          case TokenBucket bucket ->
              bucket(bucket.bucket(), (BucketState) bare, now, cost, freshAt);
          case LeakyBucket bucket ->
              bucket(bucket.bucket(), (BucketState) bare, now, cost, freshAt);
          case FixedWindow window -> fixed(window, (WindowState) bare, cost, madeAt);
          case SlidingWindow window -> sliding(window, (SlidingState) bare, cost, madeAt);
          case RollingWindow window ->
              ((RollingState) bare).without(freshAt - window.window(), cost, MAX_RENUMBERED);
          case SlotLimit slots -> slots.release(bare, now, holder);
          case FairShare fair ->
              fair(fair.arithmetic(), (FairState) bare, share, now, cost, freshAt);
          case Stateless stateless -> throw new IllegalStateException("has no state: " + stateless);
        };
    return limit instanceof Holdable holdable
        ? HeldState.of(next, holdable, HeldState.holds(current))
        : next;
  }

  /** Returns at most the debt that would remain without later charges. */
  private static State bucket(
      Bucket bucket, BucketState state, long now, long cost, long wasFreshAt) {
    long wait = state.emptyAt() - now;
    long unpaid = wasFreshAt - now;
    if (wait <= 0 || wait > state.refillTime() || unpaid <= 0) return state;
    var rate = bucket.rate();
    long back = cost * rate.unitPeriod;
    if (unpaid * rate.unitPermits < back) back = unpaid * rate.unitPermits;
    long rest = Math.max(0, wait * rate.unitPermits - state.slack() - back);
    long repaidIn = Math.ceilDiv(rest, rate.unitPermits);
    return new BucketState(now + repaidIn, repaidIn * rate.unitPermits - rest, state.refillTime());
  }

  /** Returns the charge to the pool as a bucket does, and no more than that to the tenant. */
  private static State fair(
      FairBucket limit, FairState stored, Share share, long now, long cost, long wasFreshAt) {
    var state = new FairDraft(limit, stored, now).state();
    var pool = limit.pool();
    var after = (BucketState) bucket(pool, state.pool, now, cost, wasFreshAt);
    if (after.equals(state.pool)) return stored;
    var rate = pool.rate();
    long back = Math.min(cost * rate.unitPeriod, (wasFreshAt - now) * rate.unitPermits);
    long ticks =
        back / rate.unitPeriod * limit.scale()
            + back % rate.unitPeriod * limit.scale() / rate.unitPeriod;
    var tenants = state.tenants;
    var debts = state.debts;
    var tenant = tenants.find(share.tenant(), FairTenants.hashOf(share.tenant()));
    if (tenant != null && tenant.finish() > state.virtual) {
      long finish = Math.max(tenant.finish() - ticks / tenant.weight(), state.virtual + 1);
      var less = tenant.withFinish(finish);
      tenants = tenants.with(less);
      debts = FairDebts.add(FairDebts.remove(debts, tenant), less);
    }
    return state.with(after, tenants, debts);
  }

  /** Undoes a charge of the current window; charges of earlier windows have expired with them. */
  private static State fixed(FixedWindow limit, WindowState state, long cost, long madeAt) {
    if (limit.alignment().endAfter(madeAt) != state.end()) return state;
    return new WindowState(
        state.end(), Math.max(0, state.count() - cost), state.permits(), state.alignment());
  }

  private static State sliding(SlidingWindow window, SlidingState state, long cost, long madeAt) {
    var counts = counts(window, state);
    long age = bucketIndex(window, state) - Math.floorDiv(madeAt, width(window));
    if (age > window.buckets()) return state;
    long rest = cost;
    for (int i = (int) (window.buckets() - age); i < counts.length; i++) {
      long back = Math.min(rest, counts[i]);
      counts[i] -= back;
      rest -= back;
    }
    return SlidingState.of(bucketIndex(window, state), width(window), window.capacity(), counts);
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
