package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

/**
 * The arithmetic of {@link FairShare}: a token bucket for all tenants together, and for each tenant
 * a second one that is refilled by a virtual clock.
 *
 * @param pool the arithmetic of the bucket of all tenants
 * @param scale the ticks of one permit; a power of two
 * @param full the ticks of the whole burst
 */
public record FairBucket(Bucket pool, long scale, long full) {
  /*
   * Token buckets on a virtual clock
   *
   * The fluid model is generalized processor sharing (Parekh and Gallager 1993), as fair queueing
   * uses it (Demers, Keshav and Shenker 1989), applied to debts instead of queues.
   *
   * A request that passes leaves a debt of its cost, as in any token bucket. The rate R repays the
   * debts of all tenants at once, each in proportion to its weight. A tenant without debt is not
   * repaid, so its part of the rate goes to the others. That is weighted max-min sharing.
   *
   * Virtual time V makes it cheap: V advances by R / W' per unit of time, where W' is the sum of
   * the weights of the tenants in debt. A tenant of weight w is repaid w permits while V advances
   * by 1. So the whole state of a tenant is one number that does not change as time passes: the
   * virtual time F at which its debt is repaid. A charge of c permits moves F to max(F, V) + c / w.
   * This is GCRA with V as its clock. W' changes when V reaches the F of some tenant.
   *
   * A request passes if two conditions hold:
   *   1. the pool: the debts of all tenants and its cost are at most the burst b;
   *   2. the share: F - V is at most s = b / (2 (W + 1)) afterwards, where W is the sum of the
   *      weights of all active tenants. The 1 is kept for tenants that join. Two kinds of requests
   *      pass beyond that: one of a tenant without debt; and, while at most half of the burst is in
   *      use afterwards, one with which its tenant owes at most 2 s, or four requests.
   *
   * So the upper half of the burst is divided by shares, and the lower half is lent. The lower half
   * evens out arrivals: a tenant whose share is less than a request, beside one of weight 1,000,
   * would lose a fifth of its rate if it could not owe a second request for a moment. The upper half
   * has room for a large request: tenants that take all they get are held at half of the burst, so
   * that a tenant without debt finds room for a request that costs up to the other half.
   *
   * The debts add up to the debt of the plain bucket under the same admissions, since both are
   * repaid at R while there is any. So:
   *
   *   Limit.     At most b + R t permits pass in any span t: condition 1 is the plain bucket's.
   *   Sharing.   While a tenant is refused for its share, it has a debt, so all of R is used.
   *   Fairness.  Over any span, let V advance by v. A tenant that always has a request of cost c
   *              waiting, and finds room for it in the pool, gets at least w v - c permits; no
   *              tenant gets more than w v + 2 w s, or four requests if they cost more. So no tenant
   *              is behind its weighted share by more than one request while another is ahead by
   *              more than its share of the burst.
   *   Isolation. V advances by at least R / W. A tenant whose requests conform to a bucket of rate
   *              w R / W and burst w s therefore always passes condition 2. It passes condition 1
   *              too if no request costs more than its tenant's share w s: since the debts last
   *              exceeded half of the burst, each tenant added at most its share, and the shares
   *              add up to less than the other half.
   *   Return.    A tenant that joins finds the part of the burst that is kept for it. If that is
   *              in use, the tenants beyond their reduced shares are refused, and all of R goes to
   *              the others until they are repaid.
   *
   * A tenant is active from its first request that passes until its debt is repaid and one to two
   * periods of b / R, at least a second, have passed. At most MAX_TENANTS are active; all further
   * ones are one tenant of weight 1.
   *
   * Cost: V never goes back, so it orders everything that happens to tenants. A debt has ended if
   * its F is at most V. It ended in the current period if F is above the value of V at which the
   * period began. So three sums of weights (in debt, ended in this period, ended in the last) and
   * two values of V are all that a request needs beside its own tenant, and a period ends without
   * a visit to its tenants. V must stop where a debt ends, since W' changes there: those in debt
   * are kept in the order of F. Each debt is ended once, after a charge that began it. If a request
   * is refused, the debts that it found ended are ended again by the next one, unless there are 16
   * or more: the advanced state is stored then. So a check does work for at most 16 debts more than
   * were begun, and a peek for at most MAX_TENANTS. Other work is logarithmic in the tenants. All
   * tenants are visited only when the limit is changed, once in 2^51 ticks of V, and when more than
   * half of those in the table are not active.
   *
   * Integers: V and F are in ticks per weight, of which a permit has `scale`, usually 2^20, so
   * rounding moves a share by less than one tick per weight and request. The division by W' keeps
   * its remainder. The pool is exact. When its debt is repaid, all are.
   */

  /** The highest number of tenants that are told apart. */
  public static final int MAX_TENANTS = 1_024;

  /** The id of the tenant that stands for all tenants beyond {@link #MAX_TENANTS}. */
  static final Share OTHERS = new Share("\u0000others", 1);

  private static final long MAX_SCALE = 1L << 20;
  private static final long MAX_FULL = 1L << 50;
  private static final long MAX_NUMBER = 1L << 40;

  static FairBucket of(TokenBucket bucket) {
    long period = bucket.rate().unitPeriod;
    require(
        bucket.burst() <= MAX_NUMBER && period <= MAX_NUMBER,
        "a limit that is shared fairly may have a burst of 2^40 permits, and one permit in 12 days"
            + " or more; got a burst of %d at a rate of %s",
        bucket.burst(),
        bucket.rate());
    long scale = MAX_SCALE;
    while (bucket.burst() * scale > MAX_FULL || period * scale > 4 * MAX_FULL) scale /= 2;
    return new FairBucket(bucket.bucket(), scale, bucket.burst() * scale);
  }

  Step step(State state, long now, long cost, Share share) {
    var before = adopt(state, now);
    var draft = new FairDraft(this, before, now);
    before = draft.worthStoring(before);
    draft.join(share);
    return draft.step(before, cost);
  }

  /** Converts a state of another limit, in proportion to its utilization. */
  FairState adopt(State state, long now) {
    if (!(state instanceof FairState other)) {
      return FairState.withoutTenants(pool.adopt(state, now), full, now);
    }
    if (other.full == full && pool.isOwn(other.pool)) return other;
    // As if it had been forgotten, which a store may do from then on: no tenant is active.
    if (now >= other.freshAt()) {
      return FairState.withoutTenants(pool.adopt(other.pool, now), full, now);
    }
    return other.converted(pool.adopt(other.pool, now), full, now);
  }

  /** Returns the ticks that are repaid in a time, rounded down, at most those of the burst. */
  long ticksIn(long micros) {
    var rate = pool.rate();
    long units = micros >= pool.refillTime() ? pool.units() : micros * rate.unitPermits;
    long permits = rate.permitsIn(units);
    return permits * scale + rate.permitsIn((units - permits * rate.unitPeriod) * scale);
  }

  /**
   * Returns the whole permits of a number of ticks. Fast, since {@code scale} is a power of two.
   */
  long permitsIn(long ticks) {
    return ticks >> Long.numberOfTrailingZeros(scale);
  }

  /** Returns the time in which a number of ticks is repaid, rounded down. */
  long timeWithin(long ticks) {
    var rate = pool.rate();
    return rate.timeWithin(
        ticks / scale * rate.unitPeriod + ticks % scale * rate.unitPeriod / scale);
  }

  /** Returns the time in which a number of ticks is repaid, rounded up. */
  long timeFor(long ticks) {
    var rate = pool.rate();
    long permits = ticks / scale;
    long units = permits * rate.unitPeriod + Math.ceilDiv(ticks % scale * rate.unitPeriod, scale);
    return rate.timeFor(units);
  }
}
