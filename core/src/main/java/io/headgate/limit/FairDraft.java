package io.headgate.limit;

import io.headgate.limit.FairState.Members;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;

/**
 * The evaluation of one request under a {@link FairBucket}: a copy of the state that is advanced to
 * the time of the request. Copies the arrays of the state before it changes them. Used by one
 * thread.
 */
final class FairDraft {
  private static final long MAX_VIRTUAL = 1L << 51;
  private static final int MAX_SCANS = 8;

  private final FairBucket limit;
  private final long now;
  private BucketState pool;
  private final long at;
  private long virtual;
  private long rest;
  private long sweepAt;
  private Members members;
  private int[] weights;
  private long[] finish;
  private long weight;
  private long indebted;
  private long next;

  private boolean ownsArrays;
  private int tenant; // the position of the request's tenant

  FairDraft(FairBucket limit, FairState state, long now) {
    this.limit = limit;
    this.now = now;
    this.at = Math.max(now, state.at); // a clock that steps back repays nothing
    this.pool = state.pool;
    this.virtual = state.virtual;
    this.rest = state.rest;
    this.sweepAt = state.sweepAt;
    this.members = state.members;
    this.weights = state.weights;
    this.finish = state.finish;
    this.weight = state.weight;
    this.indebted = state.indebted;
    this.next = state.next;
    if (indebted > 0) {
      if (now >= pool.emptyAt()) repayAll();
      else if (now > state.at) repay(limit.ticksIn(now - state.at));
    }
    if (now >= sweepAt) sweep();
  }

  /** Ends all debts, because that of the pool has ended; only rounding can have left any. */
  private void repayAll() {
    ownArrays();
    for (int i = 0; i < finish.length; i++) {
      if (finish[i] > 0) finish[i] = -pool.emptyAt();
    }
    restartClock();
  }

  /** Advances the virtual clock, and ends the debts that it reaches. */
  private void repay(long ticks) {
    long left = ticks + rest;
    for (int ended = 0; indebted > 0; ended++) {
      if (ended == MAX_SCANS) {
        repayInOrder(left);
        return;
      }
      if (left / indebted >= next - virtual) next = earliest();
      if (!reaches(next, left)) return;
      left -= (next - virtual) * indebted;
      virtual = next;
      endDebts();
    }
    restartClock();
  }

  /** Ends debts in the order of their ends, which is faster than a scan for each if many end. */
  private void repayInOrder(long ticks) {
    long left = ticks;
    var order = new ArrayList<Integer>(finish.length);
    for (int i = 0; i < finish.length; i++) {
      if (finish[i] > 0) order.add(i);
    }
    order.sort(Comparator.comparingLong(i -> finish[i]));
    for (int i : order) {
      next = finish[i];
      if (!reaches(next, left)) return;
      left -= (next - virtual) * indebted;
      virtual = next;
      finish[i] = -pool.emptyAt();
      indebted -= weights[i];
    }
    restartClock();
  }

  /** Returns whether the clock reaches a time; if not, advances it by the ticks that are left. */
  private boolean reaches(long time, long left) {
    long advance = left / indebted;
    if (advance >= time - virtual) return true;
    virtual += advance;
    rest = left % indebted;
    return false;
  }

  private long earliest() {
    long earliest = Long.MAX_VALUE;
    for (long time : finish) {
      if (time > 0 && time < earliest) earliest = time;
    }
    return earliest;
  }

  private void endDebts() {
    ownArrays();
    for (int i = 0; i < finish.length; i++) {
      if (finish[i] <= 0 || finish[i] > virtual) continue;
      finish[i] = -pool.emptyAt();
      indebted -= weights[i];
    }
    next = earliest();
  }

  private void restartClock() {
    virtual = 0;
    rest = 0;
    indebted = 0;
    next = Long.MAX_VALUE;
  }

  /** Drops the tenants that have been idle. Not done at every request, since it reads all. */
  private void sweep() {
    sweepAt = now + limit.idle() / 4;
    int kept = 0;
    for (long time : finish) {
      if (!isIdle(time)) kept++;
    }
    if (kept == finish.length) return;
    var names = new String[kept];
    var keptWeights = new int[kept];
    var keptFinish = new long[kept];
    int to = 0;
    for (int i = 0; i < finish.length; i++) {
      if (isIdle(finish[i])) {
        weight -= weights[i];
        continue;
      }
      names[to] = members.names()[i];
      keptWeights[to] = weights[i];
      keptFinish[to] = finish[i];
      to++;
    }
    members = Members.of(names);
    weights = keptWeights;
    finish = keptFinish;
    ownsArrays = true;
  }

  private boolean isIdle(long time) {
    return time <= 0 && now + time >= limit.idle();
  }

  /** Adds the tenant of the request if it is not active, and sets the weight that it has now. */
  void join(Share share) {
    var known = members.indexes().get(share.tenant());
    if (known == null && finish.length >= FairBucket.MAX_TENANTS) {
      known = members.indexes().get(FairBucket.OTHERS.tenant());
      if (known == null) add(FairBucket.OTHERS);
      else tenant = known;
    } else if (known == null) {
      add(share);
    } else {
      tenant = known;
      if (weights[tenant] != share.weight()) reweigh(share.weight());
    }
  }

  private void add(Share share) {
    tenant = finish.length;
    var names = Arrays.copyOf(members.names(), tenant + 1);
    names[tenant] = share.tenant();
    members = Members.of(names);
    weights = Arrays.copyOf(weights, tenant + 1);
    weights[tenant] = share.weight();
    finish = Arrays.copyOf(finish, tenant + 1);
    finish[tenant] = -now;
    ownsArrays = true;
    weight += share.weight();
  }

  /** Changes the weight of the tenant. Its debt in permits stays the same. */
  private void reweigh(int to) {
    int from = weights[tenant];
    weights = weights.clone();
    weights[tenant] = to;
    weight += to - from;
    if (finish[tenant] <= 0) return;
    indebt(to - from);
    ownArrays();
    finish[tenant] = virtual + Math.max(1, (finish[tenant] - virtual) * from / to);
    next = Math.min(next, finish[tenant]);
  }

  /** Adds a weight to that of the tenants in debt. The clock keeps its fraction of a tick. */
  private void indebt(int more) {
    rest = indebted == 0 ? 0 : rest * (indebted + more) / indebted;
    indebted += more;
  }

  Step step(FairState before, long cost) {
    long capacity = limit.pool().capacity();
    long bound = limit.full() / (weight + 1);
    int own = weights[tenant];
    long owed = finish[tenant] > 0 ? finish[tenant] - virtual : 0;
    if (cost == 0) return new Step(before, new Passed(remaining(bound, owed), resetAfter(), 0));
    if (cost > capacity) {
      var exceeds = new ExceedsCapacity(remaining(bound, owed), resetAfter(), cost, capacity);
      return new Step(before, exceeds);
    }
    long price = cost * limit.scale() / own;
    boolean inShare = owed == 0 || owed + price <= bound;
    boolean inPool = limit.pool().passes(pool, now, cost);
    if (inShare && inPool) {
      charge(owed, price, cost);
      var passed = new Passed(remaining(bound, owed + price), resetAfter(), 0);
      return new Step(state(), passed);
    }
    long wait = inShare ? 0 : shareWait(owed + Math.min(0, price - bound));
    if (!inPool && limit.pool().refused(pool, now, cost) instanceof Refused refused) {
      wait = Math.max(wait, refused.retryAfter());
    }
    return new Step(before, new Refused(remaining(bound, owed), resetAfter(), wait));
  }

  private void charge(long owed, long price, long cost) {
    if (owed == 0) indebt(weights[tenant]);
    ownArrays();
    finish[tenant] = virtual + owed + price;
    next = Math.min(next, finish[tenant]);
    pool = limit.pool().after(pool, now, cost);
  }

  /**
   * Returns an upper bound of the time in which the virtual clock advances by {@code ticks}: the
   * time at its current speed, from which it can only accelerate while no request is charged.
   */
  private long shareWait(long ticks) {
    long untilAllRepaid = pool.emptyAt() - now;
    if (ticks > limit.full() / indebted) return untilAllRepaid;
    return Math.min(untilAllRepaid, limit.timeFor(ticks * indebted - rest));
  }

  private long remaining(long bound, long owed) {
    long share = Math.max(0, bound - owed) * weights[tenant] / limit.scale();
    if (owed == 0) share = Math.max(1, share);
    return Math.min(share, limit.pool().left(pool, now));
  }

  private long resetAfter() {
    return Math.max(0, pool.emptyAt() - now);
  }

  private void ownArrays() {
    if (!ownsArrays) finish = finish.clone();
    ownsArrays = true;
  }

  private FairState state() {
    if (virtual > MAX_VIRTUAL) rebase();
    return new FairState(
        pool,
        limit.full(),
        at,
        virtual,
        rest,
        sweepAt,
        limit.idle(),
        members,
        weights,
        finish,
        weight,
        indebted,
        next);
  }

  /** Sets the virtual clock to 0, so that its numbers stay below 2^53. */
  private void rebase() {
    ownArrays();
    for (int i = 0; i < finish.length; i++) {
      if (finish[i] > 0) finish[i] -= virtual;
    }
    next -= virtual;
    virtual = 0;
  }
}
