package io.headgate.limit;

import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link FairShare}: the debt of all tenants together, the virtual clock, sums of
 * weights, and one number for each tenant. See {@link FairBucket}. Immutable; successive states
 * share most of their memory.
 */
public final class FairState implements State {
  private static final long MIN_PERIOD = 1_000_000;

  /** What the virtual clock shows after a restart; the two periods began at 1 and at 0. */
  private static final long RESTARTED = 2;

  /** The debt of all tenants together, exactly that of a token bucket. */
  final BucketState pool;

  /** The ticks of the whole burst, under the limit that wrote the state. */
  final long full;

  /** The time, in microseconds, at which the virtual clock showed {@link #virtual}. */
  final long at;

  /** The virtual clock. */
  final long virtual;

  /** The ticks that have been repaid since {@link #virtual}; less than the weight in debt. */
  final long rest;

  /** The number of the current period; see {@link #periodLength}. */
  final long period;

  /** The virtual clock when the current period began. */
  final long periodStart;

  /** The virtual clock when the period before the current one began. */
  final long previousStart;

  /** The {@link FairSum} of the tenants that have a debt. */
  final long indebted;

  /** The sum of the tenants whose debt ended in the current period. */
  final long current;

  /** The sum of the tenants whose debt ended in the period before the current one. */
  final long previous;

  /** An upper bound of the virtual times at which debts are repaid. */
  final long last;

  /** All active tenants, and some that are not active any more. */
  final FairTenants tenants;

  /** The tenants that have a debt; null if there are none. */
  final @Nullable FairDebts debts;

  FairState(
      BucketState pool,
      long full,
      long at,
      long virtual,
      long rest,
      long period,
      long periodStart,
      long previousStart,
      long indebted,
      long current,
      long previous,
      long last,
      FairTenants tenants,
      @Nullable FairDebts debts) {
    this.pool = pool;
    this.full = full;
    this.at = at;
    this.virtual = virtual;
    this.rest = rest;
    this.period = period;
    this.periodStart = periodStart;
    this.previousStart = previousStart;
    this.indebted = indebted;
    this.current = current;
    this.previous = previous;
    this.last = last;
    this.tenants = tenants;
    this.debts = debts;
  }

  /** Returns the state of a limit of which no tenant is active. */
  static FairState withoutTenants(BucketState pool, long full, long now) {
    long period = now / periodLength(pool);
    return new FairState(pool, full, now, 0, 0, period, 0, 0, 0, 0, 0, 0, FairTenants.NONE, null);
  }

  /**
   * Returns the length of a period, in microseconds: the time in which the burst is repaid, at
   * least a second. A tenant is active while it has a debt, in the period in which the debt ends,
   * and in the next.
   */
  static long periodLength(BucketState pool) {
    return Math.max(MIN_PERIOD, pool.refillTime());
  }

  /** Returns the number of tenants that are active. */
  public int tenants() {
    return FairSum.count(indebted) + FairSum.count(current) + FairSum.count(previous);
  }

  /** Returns this state with the same tenants and debts, in other positions. */
  FairState with(FairTenants otherTenants, @Nullable FairDebts otherDebts) {
    return with(pool, otherTenants, otherDebts);
  }

  /** Returns this state with another debt of the pool. */
  FairState with(BucketState otherPool, FairTenants otherTenants, @Nullable FairDebts otherDebts) {
    return new FairState(
        otherPool,
        full,
        at,
        virtual,
        rest,
        period,
        periodStart,
        previousStart,
        indebted,
        current,
        previous,
        last,
        otherTenants,
        otherDebts);
  }

  /**
   * Returns this state for another pool and another burst: debts are scaled in proportion, and the
   * virtual clock starts again. Takes time in proportion to the tenants.
   */
  FairState converted(BucketState otherPool, long otherFull, long time) {
    long otherPeriod = time / periodLength(otherPool);
    var kept = FairTenants.NONE;
    FairDebts tree = null;
    long latest = RESTARTED;
    for (var tenant : tenants.list()) {
      if (tenant.finish() <= previousStart) continue;
      var moved = tenant.withFinish(finishIn(tenant, otherFull));
      kept = kept.with(moved);
      latest = Math.max(latest, moved.finish());
      if (moved.finish() > RESTARTED) tree = FairDebts.add(tree, moved);
    }
    return new FairState(
        otherPool,
        otherFull,
        time,
        RESTARTED,
        otherFull == full ? rest : 0,
        otherPeriod,
        1,
        0,
        indebted,
        current,
        previous,
        latest,
        kept,
        tree);
  }

  /** Returns the virtual time of a tenant when the clock starts again. */
  private long finishIn(FairTenants.Tenant tenant, long otherFull) {
    long finish = tenant.finish();
    if (finish <= virtual) return finish > periodStart ? RESTARTED : 1;
    long debt = finish - virtual;
    return RESTARTED + (otherFull == full ? debt : Utilization.scale(debt, full, otherFull));
  }

  @Override
  public long freshAt() {
    return pool.emptyAt() + 2 * periodLength(pool);
  }

  @Override
  public long used(long now) {
    return pool.used(now);
  }

  @Override
  public String toString() {
    return "FairState[pool=%s, tenants=%d, virtual=%d]".formatted(pool, tenants(), virtual);
  }
}
