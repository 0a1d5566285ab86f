package io.headgate.limit;

import io.headgate.limit.FairTenants.Tenant;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation of one request under a {@link FairBucket}: a copy of the state that is advanced to
 * the time of the request. Used by one thread.
 */
final class FairDraft {
  private static final long MAX_VIRTUAL = 1L << 51;

  /** How many debts may have ended before the advanced state is stored even without a charge. */
  private static final int MAX_ENDED = 16;

  /** The debt in requests beside which one more passes in the lower half of the burst. */
  private static final int REQUESTS_OWED = 3;

  private final FairBucket limit;
  private final long now;
  private BucketState pool;
  private final long at;
  private long virtual;
  private long rest;
  private long period;
  private long periodStart;
  private long previousStart;
  private long indebted;
  private long current;
  private long previous;
  private long last;
  private FairTenants tenants;
  private @Nullable FairDebts debts;

  private List<Tenant> ended = List.of();
  private int corrected; // positions in debts

  // The tenant of the request.
  private String id = "";
  private int hash;
  private int own; // its weight
  private @Nullable Tenant active; // null if it was not active before
  private long finish;

  FairDraft(FairBucket limit, FairState state, long now) {
    this.limit = limit;
    this.now = now;
    this.at = Math.max(now, state.at); // a clock that steps back repays nothing
    this.pool = state.pool;
    this.virtual = state.virtual;
    this.rest = state.rest;
    this.period = state.period;
    this.periodStart = state.periodStart;
    this.previousStart = state.previousStart;
    this.indebted = state.indebted;
    this.current = state.current;
    this.previous = state.previous;
    this.last = state.last;
    this.tenants = state.tenants;
    this.debts = state.debts;
    if (indebted > 0) {
      beginPeriod(Math.min(now, pool.emptyAt()));
      if (now >= pool.emptyAt()) endAllDebts();
      else if (now > state.at) repay(limit.ticksIn(now - state.at));
    }
    beginPeriod(now);
  }

  /** Begins the period of a time. Tenants whose debt ended two periods before are not active. */
  private void beginPeriod(long time) {
    long length = FairState.periodLength(pool);
    if (time < (period + 1) * length) return;
    long next = time / length;
    boolean follows = next == period + 1;
    previousStart = follows ? periodStart : virtual;
    previous = follows ? current : 0;
    periodStart = virtual;
    current = 0;
    period = next;
  }

  /** Ends all debts, because that of the pool has ended; only rounding can have left any. */
  private void endAllDebts() {
    current += indebted;
    indebted = 0;
    virtual = last;
    rest = 0;
    debts = null;
  }

  /** Advances the virtual clock, and ends the debts that it reaches. */
  private void repay(long ticks) {
    long left = ticks + rest;
    while (debts != null) {
      var first = debts.first();
      long weight = FairSum.weight(indebted);
      long advance = left / weight;
      if (advance < first.entry() - virtual) {
        virtual += advance;
        rest = left - advance * weight;
        return;
      }
      var tenant = tenants.get(first.id(), first.hash());
      debts = debts.removeFirst();
      if (tenant.finish() > tenant.entry()) { // charged again after it was added
        tenant = tenant.withFinish(tenant.finish());
        tenants = tenants.with(tenant);
        debts = FairDebts.add(debts, tenant);
        corrected++;
      } else {
        left -= (tenant.finish() - virtual) * weight;
        virtual = tenant.finish();
        end(tenant);
      }
    }
    rest = 0;
  }

  private void end(Tenant tenant) {
    long part = FairSum.of(tenant.weight());
    indebted -= part;
    current += part;
    if (ended.isEmpty()) ended = new ArrayList<>();
    ended.add(tenant);
  }

  /**
   * Returns the state to store if the request is not charged: {@code before}, or this draft if much
   * of its work would be repeated by the next request. Both are equal but for rounding.
   */
  FairState worthStoring(FairState before) {
    if (ended.size() >= MAX_ENDED) return state();
    if (corrected < MAX_ENDED) return before;
    var tree = debts;
    for (var tenant : ended) tree = FairDebts.add(tree, tenant);
    return before.with(tenants, tree);
  }

  /** Selects the tenant of the request, which joins if it is not active, with its weight now. */
  void join(Share share) {
    if (select(share)) return;
    int count = FairSum.count(indebted) + FairSum.count(current) + FairSum.count(previous);
    if (count >= FairBucket.MAX_TENANTS) select(FairBucket.OTHERS);
  }

  /** Returns whether the tenant is active. */
  private boolean select(Share share) {
    id = share.tenant();
    hash = FairTenants.hashOf(id);
    own = share.weight();
    finish = virtual;
    var tenant = tenants.find(id, hash);
    if (tenant == null || tenant.finish() <= previousStart) return false;
    active = tenant;
    finish = tenant.finish();
    if (tenant.weight() != own) reweigh(tenant.weight());
    return true;
  }

  /** Changes the weight of the tenant. Its debt in permits stays the same. */
  private void reweigh(int from) {
    long change = FairSum.of(own) - FairSum.of(from);
    if (finish > virtual) {
      indebt(change);
      finish = virtual + Math.max(1, (finish - virtual) * from / own);
    } else if (finish > periodStart) {
      current += change;
    } else {
      previous += change;
    }
  }

  /** Adds to the tenants in debt. The clock keeps its fraction of a tick. */
  private void indebt(long change) {
    long weight = FairSum.weight(indebted);
    indebted += change;
    rest = weight == 0 ? 0 : rest * FairSum.weight(indebted) / weight;
  }

  Step step(FairState before, long cost) {
    long capacity = limit.pool().capacity();
    long weight = FairSum.weight(indebted) + FairSum.weight(current) + FairSum.weight(previous);
    long bound = limit.full() / (weight + (active == null ? own : 0) + 1);
    long owed = Math.max(0, finish - virtual);
    if (cost == 0) return new Step(before, new Passed(remaining(bound, owed), resetAfter(), 0));
    if (cost > capacity) {
      var exceeds = new ExceedsCapacity(remaining(bound, owed), resetAfter(), cost, capacity);
      return new Step(before, exceeds);
    }
    long ticks = cost * limit.scale();
    long price = own == 1 ? ticks : ticks / own;
    boolean inShare = owed == 0 || owed + price <= bound / 2;
    boolean inPool = limit.pool().passes(pool, now, cost);
    long most = mostOwed(bound, price);
    boolean inLowerHalf = owed <= most && limit.pool().passes(pool, now, cost + half());
    if ((inShare && inPool) || inLowerHalf) {
      charge(owed, price, cost);
      var passed = new Passed(remaining(bound, owed + price), resetAfter(), 0);
      return new Step(state(), passed);
    }
    long excess = owed + Math.min(0, price - bound / 2);
    long wait = inShare ? 0 : shareWait(excess);
    long certain = inShare ? 0 : Math.min(wait, certainWait(excess));
    if (!inPool) {
      long poolWait = poolWait(cost);
      wait = Math.max(wait, poolWait);
      certain = Math.max(certain, poolWait);
    }
    if (!inShare && cost + half() <= capacity) {
      long poolWait = poolWait(cost + half());
      wait = Math.min(wait, Math.max(owed <= most ? 0 : shareWait(owed - most), poolWait));
      certain = Math.min(certain, Math.max(owed <= most ? 0 : certainWait(owed - most), poolWait));
    }
    return new Step(
        before, new Refused(remaining(bound, owed), resetAfter(), wait).withCertainFor(certain));
  }

  /** Returns the half of the burst that only small debts and tenants without debt may use. */
  private long half() {
    return limit.pool().capacity() / 2;
  }

  /** Returns the highest debt beside which a tenant's request passes in the lower half. */
  private static long mostOwed(long bound, long price) {
    return Math.max(bound - price, REQUESTS_OWED * price);
  }

  /** Returns the time until the pool has room for a cost, which is at most its capacity. */
  private long poolWait(long cost) {
    return limit.pool().refused(pool, now, cost) instanceof Refused refused
        ? Math.max(0, refused.retryAfter())
        : 0;
  }

  private void charge(long owed, long price, long cost) {
    long end = virtual + owed + price;
    var tenant = new Tenant(id, hash, own, end, end);
    if (owed == 0) {
      long part = FairSum.of(own);
      if (active != null && finish > periodStart) current -= part;
      else if (active != null) previous -= part;
      indebt(part);
      debts = FairDebts.add(debts, tenant);
    } else if (active != null && active.entry() <= end) {
      tenant = new Tenant(id, hash, own, end, active.entry());
    } else if (active != null) { // a higher weight has moved the end of the debt
      debts = FairDebts.add(FairDebts.remove(debts, active), tenant);
    }
    tenants = tenants.with(tenant);
    last = Math.max(last, end);
    pool = limit.pool().after(pool, now, cost);
  }

  /**
   * Returns an upper bound of the time in which the virtual clock advances by {@code ticks}: the
   * time at its current speed, from which it can only accelerate while no request is charged.
   */
  private long shareWait(long ticks) {
    long untilAllRepaid = pool.emptyAt() - now;
    long weight = FairSum.weight(indebted);
    if (ticks > limit.full() / weight) return untilAllRepaid;
    return Math.min(untilAllRepaid, limit.timeFor(ticks * weight - rest));
  }

  /**
   * Returns a time in which the virtual clock does not advance by {@code ticks}, even if the
   * request's tenant is soon the only one in debt. Ends with the period, since the share grows when
   * other tenants are no longer active.
   */
  private long certainWait(long ticks) {
    long repaid = Math.min(ticks - 1, limit.full() / own) * own - 1; // rest is less than a tick
    if (repaid <= 0) return 0;
    long periodEnd = (period + 1) * FairState.periodLength(pool);
    return Math.min(limit.timeWithin(repaid), Math.max(0, periodEnd - now));
  }

  private long remaining(long bound, long owed) {
    long left = limit.pool().left(pool, now);
    long share = permits(bound / 2 - owed);
    long lower = left - half();
    if (lower > 0) share = Math.max(share, Math.min(permits(bound - owed), lower));
    boolean passes = owed == 0 || (lower > 0 && owed <= mostOwed(bound, limit.scale() / own));
    return Math.min(passes ? Math.max(1, share) : share, left);
  }

  /** Returns the permits of a part of the tenant's share. */
  private long permits(long virtualTicks) {
    return limit.permitsIn(Math.max(0, virtualTicks) * own);
  }

  private long resetAfter() {
    return Math.max(0, pool.emptyAt() - now);
  }

  /** Returns the state at the time of the request. */
  FairState state() {
    var state =
        new FairState(
            pool,
            limit.full(),
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
            tenants,
            debts);
    boolean hasMany = tenants.size() > 2 * state.tenants() + MAX_ENDED;
    return hasMany || virtual > MAX_VIRTUAL ? state.converted(pool, limit.full(), at) : state;
  }
}
