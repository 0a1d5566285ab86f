package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

/**
 * The arithmetic of {@link FairShare}: a token bucket for all tenants together, and for each tenant
 * a second one that is refilled by a virtual clock.
 *
 * @param pool the arithmetic of the bucket of all tenants
 * @param scale the ticks of one permit; a power of two
 * @param full the ticks of the whole burst
 * @param idle the time, in microseconds, after which a tenant without debt is no longer active
 */
public record FairBucket(Bucket pool, long scale, long full, long idle) {
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
   *   2. the share: F - V is at most b / (W + 1) afterwards, where W is the sum of the weights of
   *      all active tenants. The 1 is kept for tenants that join. A tenant without debt passes
   *      even if its cost is more than that.
   *
   * The debts add up to the debt of the plain bucket under the same admissions, since both are
   * repaid at R while there is any. So:
   *
   *   Limit.     At most b + R t permits pass in any span t: condition 1 is the plain bucket's.
   *   Sharing.   While a tenant is refused for its share, it has a debt, so all of R is used.
   *   Fairness.  Over any span, let V advance by v. A tenant that always has a request of cost c
   *              waiting gets at least w v - c permits; no tenant gets more than
   *              w v + w b / (W + 1), or one request if that costs more. So no tenant is behind
   *              its weighted share by more than one request while another is ahead by more than
   *              its share of the burst.
   *   Isolation. V advances by at least R / W. A tenant whose requests conform to a bucket of rate
   *              w R / W and burst w b / (W + 1) therefore always passes condition 2. It passes
   *              condition 1 too if no request costs more than its tenant's share of the burst and
   *              no tenant joined in the last b / R: all debts then add up to b W / (W + 1).
   *   Return.    A tenant that joins finds the part of the burst that is kept for it. If that is
   *              in use, the tenants beyond their reduced shares are refused, and all of R goes to
   *              the others until they are repaid.
   *
   * A tenant is active from its first request that passes until its debt is repaid and, after the
   * debts that the others had then, the time `idle` has passed. At most MAX_TENANTS are active; all
   * further ones are one tenant of weight 1.
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
  private static final long MIN_IDLE = 1_000_000;

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
    return new FairBucket(
        bucket.bucket(), scale, bucket.burst() * scale, Math.max(MIN_IDLE, bucket.window()));
  }

  Step step(State state, long now, long cost, Share share) {
    var before = adopt(state, now);
    var draft = new FairDraft(this, before, now);
    draft.join(share);
    return draft.step(before, cost);
  }

  /** Converts a state of another limit, in proportion to its utilization. */
  FairState adopt(State state, long now) {
    if (!(state instanceof FairState other)) {
      return new FairState(
          pool.adopt(state, now),
          full,
          now,
          0,
          0,
          0,
          idle,
          FairState.Members.NONE,
          new int[0],
          new long[0],
          0,
          0,
          Long.MAX_VALUE);
    }
    if (other.full == full && pool.isOwn(other.pool)) return other;
    var finish = other.finish.clone();
    long next = Long.MAX_VALUE;
    for (int i = 0; i < finish.length; i++) {
      if (finish[i] <= 0) continue;
      finish[i] = Utilization.scale(finish[i] - other.virtual, other.full, full);
      next = Math.min(next, finish[i]);
    }
    return new FairState(
        pool.adopt(other.pool, now),
        full,
        now,
        0,
        0,
        other.sweepAt,
        idle,
        other.members,
        other.weights,
        finish,
        other.weight,
        other.indebted,
        next);
  }

  /** Returns the ticks that are repaid in a time, rounded down, at most those of the burst. */
  long ticksIn(long micros) {
    var rate = pool.rate();
    long units = micros >= pool.refillTime() ? pool.units() : micros * rate.unitPermits;
    long permits = rate.permitsIn(units);
    return permits * scale + (units - permits * rate.unitPeriod) * scale / rate.unitPeriod;
  }

  /** Returns the time in which a number of ticks is repaid, rounded up. */
  long timeFor(long ticks) {
    var rate = pool.rate();
    long permits = ticks / scale;
    long units = permits * rate.unitPeriod + Math.ceilDiv(ticks % scale * rate.unitPeriod, scale);
    return rate.timeFor(units);
  }
}
