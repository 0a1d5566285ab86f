package io.headgate.limit;

import java.util.Arrays;

/**
 * Returns permits that were charged and not used, or whose plan was refused elsewhere. The twin of
 * {@code give_back} in the Redis script.
 *
 * <p>A charge is identified by its time and by the time at which the counter would be fresh without
 * later charges. Only permits that are not available again by themselves are returned: a token
 * bucket returns at most what is left of the charge and of all before it, by its {@link
 * ReturnHistory}, and a window returns nothing once it has ended. So the debt is never below that
 * of a counter that was charged the smaller amount in the first place.
 */
public final class GiveBack {
  private GiveBack() {}

  /**
   * A charge of which a part is returned.
   *
   * @param amount the permits that are still charged
   * @param at the time of the charge, in microseconds
   * @param freshAt the time at which the counter would be fresh without later charges
   * @param isLast whether no further part of the charge can be returned later
   */
  public record Receipt(long amount, long at, long freshAt, boolean isLast) {}

  /** A state, and the returns of its bucket. */
  public record Returned(State state, ReturnHistory history) {}

  /**
   * Returns the state without {@code cost} permits of an earlier charge, and the history of returns
   * with this one. The history of a limit that is not a token bucket is not changed. Nothing is
   * returned of a charge that a reset has removed.
   *
   * @param state any state; converted to the limit first
   * @param history the earlier returns to the counter
   * @throws UnsupportedOperationException for a rolling window, slots, and limits without a state
   */
  public static Returned of(
      Limit limit,
      Share share,
      State state,
      ReturnHistory history,
      long now,
      long cost,
      Receipt charge) {
    if (history.expiresAt() > now && history.isReset(charge.at)) {
      return new Returned(adopted(limit, state, now), history);
    }
    if (!(limit instanceof TokenBucket bucket)) {
      return new Returned(of(limit, share, state, now, cost, charge.at, charge.freshAt), history);
    }
    var current = adopted(limit, state, now);
    var bare = (BucketState) HeldState.withoutHolds(current);
    if (bare.emptyAt() <= now) return new Returned(current, history);
    var arithmetic = bucket.bucket();
    var rate = arithmetic.rate();
    long back = units(arithmetic, cost);
    var known = history.expiresAt() > now ? history : ReturnHistory.NONE;
    long left = known.left(charge.at, charge.freshAt, now);
    if (left <= Math.floorDiv(back - 1, rate.unitPermits)) {
      long own = ownUnits(arithmetic, charge, now);
      back = Math.min(back, Math.max(own, Math.max(0, left) * rate.unitPermits));
    }
    if (back <= 0) return new Returned(current, history);
    boolean isUnseen = known.isEmpty() && isUnseen(rate, bare, charge);
    if (!isUnseen && history.equals(ReturnHistory.FULL)) return new Returned(current, history);
    var next = minus(bare, now, back, rate.unitPermits);
    var after =
        isUnseen
            ? history
            : known
                .plus(charge.at, now, rate.timeFor(back), bare.emptyAt(), next.emptyAt())
                .compacted(now, bare.refillTime());
    return new Returned(HeldState.of(next, bucket, HeldState.holds(current)), after);
  }

  /**
   * Returns whether nothing was charged since, so that the return needs no record. A charge of a
   * rate above a permit per microsecond may not move the time.
   */
  private static boolean isUnseen(Rate rate, BucketState state, Receipt charge) {
    return charge.isLast
        && charge.freshAt == state.emptyAt()
        && rate.unitPeriod >= rate.unitPermits;
  }

  /** Returns the units of a charge that would be left if it had been served first. */
  private static long ownUnits(Bucket bucket, Receipt charge, long now) {
    long units = units(bucket, charge.amount);
    long passed = Math.max(0, now - charge.at);
    long permits = bucket.rate().unitPermits;
    return passed <= units / permits ? units - passed * permits : 0;
  }

  /**
   * Returns the state without {@code cost} permits of an earlier charge.
   *
   * @param state any state; converted to the limit first
   * @param madeAt the time of the charge, in microseconds
   * @param freshAt the time at which the counter would be fresh without later charges
   * @throws UnsupportedOperationException for a rolling window, slots, and limits without a state
   */
  public static State of(
      Limit limit, Share share, State state, long now, long cost, long madeAt, long freshAt) {
    var current = adopted(limit, state, now);
    var bare = HeldState.withoutHolds(current);
    State next =
        switch (limit) {
          case TokenBucket bucket ->
              bucket(bucket.bucket(), (BucketState) bare, now, cost, madeAt, freshAt);
          case LeakyBucket bucket ->
              bucket(bucket.bucket(), (BucketState) bare, now, cost, madeAt, freshAt);
          case FixedWindow window -> fixed(window, (WindowState) bare, cost, madeAt);
          case SlidingWindow window -> sliding(window, (SlidingState) bare, cost, madeAt);
          case FairShare fair ->
              fair(fair.arithmetic(), (FairState) bare, share, now, cost, madeAt, freshAt);
          case RollingWindow window -> throw unsupported(window);
          case SlotLimit slots -> throw unsupported(slots);
          case Stateless stateless -> throw unsupported(stateless);
        };
    return limit instanceof Holdable holdable
        ? HeldState.of(next, holdable, HeldState.holds(current))
        : next;
  }

  private static UnsupportedOperationException unsupported(Limit limit) {
    return new UnsupportedOperationException(
        "a %s does not take back permits".formatted(limit.algorithm()));
  }

  /**
   * Returns the state in the limit's representation, after charging the holds of {@code HeldState}
   * whose leases have expired.
   */
  static State adopted(Limit limit, State state, long now) {
    if (!(state instanceof HeldState held)) return limit.adopt(state, now);
    if (!(limit instanceof Holdable holdable)) return limit.adopt(held, now);
    var settled = HeldState.expireHolds(holdable, held, now);
    return HeldState.of(
        limit.adopt(HeldState.withoutHolds(settled), now), holdable, HeldState.holds(settled));
  }

  /**
   * Reduces the debt by time rather than in units, so that a debt above the capacity stays exact.
   */
  private static BucketState bucket(
      Bucket bucket, BucketState state, long now, long cost, long madeAt, long wasFreshAt) {
    if (state.emptyAt() <= now || wasFreshAt <= now) return state;
    long back = returnedUnits(bucket, now, cost, madeAt, wasFreshAt);
    return minus(state, now, back, bucket.rate().unitPermits);
  }

  private static BucketState minus(BucketState state, long now, long back, long permits) {
    long emptyAt = state.emptyAt() - back / permits;
    long slack = state.slack() + back % permits;
    if (slack >= permits) {
      emptyAt--;
      slack -= permits;
    }
    boolean repaid = emptyAt < now || (emptyAt == now && slack > 0);
    return new BucketState(repaid ? now : emptyAt, repaid ? 0 : slack, state.refillTime());
  }

  /**
   * Returns the units of a cost that a bucket has certainly not refilled yet: those that were due
   * before the last microsecond, which repays a part only, or those that are left if the charge was
   * served first.
   */
  private static long returnedUnits(
      Bucket bucket, long now, long cost, long madeAt, long wasFreshAt) {
    long permits = bucket.rate().unitPermits;
    long back = units(bucket, cost);
    long unpaid = wasFreshAt - 1 - now;
    if (unpaid > Math.floorDiv(back - 1, permits)) return back;
    long own = ownUnits(bucket, new Receipt(cost, madeAt, wasFreshAt, true), now);
    return Math.min(back, Math.max(own, unpaid * permits));
  }

  /** Returns the units of a cost, capped as {@link Bucket#charged} does. */
  private static long units(Bucket bucket, long cost) {
    var rate = bucket.rate();
    long countable = Math.max(bucket.capacity(), (Bounds.MAX - rate.unitPermits) / rate.unitPeriod);
    return Math.min(cost, countable) * rate.unitPeriod;
  }

  /** Returns the charge to the pool as a bucket does, and no more than that to the tenant. */
  private static State fair(
      FairBucket limit,
      FairState stored,
      Share share,
      long now,
      long cost,
      long madeAt,
      long wasFreshAt) {
    var state = new FairDraft(limit, stored, now).state();
    var pool = limit.pool();
    if (state.pool.emptyAt() - now > state.pool.refillTime())
      return stored; // the clock stepped back
    var after = bucket(pool, state.pool, now, cost, madeAt, wasFreshAt);
    if (after.equals(state.pool)) return stored;
    var rate = pool.rate();
    long back = returnedUnits(pool, now, cost, madeAt, wasFreshAt);
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

  /**
   * Starts at the subwindow of the charge; if the clock had stepped back, a later one was charged.
   */
  private static State sliding(SlidingWindow window, SlidingState state, long cost, long madeAt) {
    long width = window.window() / window.buckets();
    long current = state.start() / width;
    var counts = new long[window.buckets() + 1];
    Arrays.setAll(counts, state::oldest);
    long age = current - Math.floorDiv(madeAt, width);
    if (age > window.buckets()) return state;
    long rest = cost;
    for (int i = (int) Math.max(0, window.buckets() - age); i < counts.length; i++) {
      long back = Math.min(rest, counts[i]);
      counts[i] -= back;
      rest -= back;
    }
    return window.stateOf(current, counts);
  }
}
