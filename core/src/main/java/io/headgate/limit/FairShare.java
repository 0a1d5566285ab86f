package io.headgate.limit;

/**
 * A token bucket that is shared by weighted max-min fairness among the tenants that are active.
 *
 * <p>In any span of length t, at most {@code burst + rate * t} permits pass in total, as with the
 * {@link TokenBucket} alone. Of the rate, each tenant that wants more than it gets receives permits
 * in proportion to its weight. A tenant that wants less gets all it wants, and the rest of its
 * share is lent to the others. {@link FairBucket} explains the arithmetic and states the
 * guarantees.
 *
 * <p>Immutable. Two limits are equal if their buckets and their sharing are.
 */
public final class FairShare implements Limit {
  private final TokenBucket bucket;
  private final FairSharing sharing;
  private final FairBucket arithmetic;

  /**
   * Creates a limit.
   *
   * @throws IllegalArgumentException if the bucket has too large numbers: a burst of more than 2^40
   *     permits, or an interval between permits of more than 2^40 µs (12 days)
   */
  public FairShare(TokenBucket bucket, FairSharing sharing) {
    this.bucket = bucket;
    this.sharing = sharing;
    this.arithmetic = FairBucket.of(bucket);
  }

  /** Returns the limit of all tenants together. */
  public TokenBucket bucket() {
    return bucket;
  }

  /** Returns the attributes that name a tenant, and the weights of tenants. */
  public FairSharing sharing() {
    return sharing;
  }

  /** Returns the arithmetic of this limit, for stores that evaluate it themselves. */
  public FairBucket arithmetic() {
    return arithmetic;
  }

  /** Applies the limit to a request that names no tenant. */
  @Override
  public Step step(State state, long now, long cost) {
    return step(state, now, cost, Share.NONE);
  }

  /**
   * Applies the limit to a request of a tenant, as {@link Limit#step} does.
   *
   * <p>The retry time of a refused request is an upper bound: the request passes after that time if
   * no other request is charged and its weight stays the same. It may pass earlier if other tenants
   * have used less than their shares.
   */
  public Step step(State state, long now, long cost, Share share) {
    return arithmetic.step(state, now, cost, share);
  }

  @Override
  public FairState adopt(State state, long now) {
    return arithmetic.adopt(state, now);
  }

  @Override
  public FairShare dividedBy(int n) {
    return n == 1 ? this : new FairShare(bucket.dividedBy(n), sharing);
  }

  /**
   * Returns the permits, rounded up, of a debt of all tenants that is repaid after {@code
   * resetAfter} microseconds.
   */
  public long owed(long resetAfter) {
    var rate = bucket.rate();
    if (resetAfter >= bucket.window()) return bucket.burst();
    return Math.ceilDiv(resetAfter * rate.unitPermits, rate.unitPeriod);
  }

  @Override
  public long capacity() {
    return bucket.capacity();
  }

  @Override
  public long window() {
    return bucket.window();
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.TOKEN_BUCKET;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FairShare that
        && bucket.equals(that.bucket)
        && sharing.equals(that.sharing);
  }

  @Override
  public int hashCode() {
    return 31 * bucket.hashCode() + sharing.hashCode();
  }

  @Override
  public String toString() {
    return "FairShare[bucket=%s, sharing=%s]".formatted(bucket, sharing);
  }
}
