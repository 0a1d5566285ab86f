package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

/**
 * At most {@code burst} at once, and {@code rate} in the long run: in any span t, no more than
 * {@code burst + rate * t}. The default, and right for most APIs.
 */
public record TokenBucket(Rate rate, long burst) implements Holdable {
  /*
   * How does this stay exact without fractions?
   *
   * A limit of 3 per second gives back one permit every 333333.3 µs. Rounding that interval makes a
   * limiter drift; at 700,000 per second it would round 1.43 µs to 1 and admit 43% too much. So we
   * never divide by the rate: a permit costs `period` units, and each microsecond repays `permits`
   * of them. With 3 per second a permit costs 1,000,000 units and a microsecond repays 3.
   *
   * What is remembered is not the debt but the moment at which it will be repaid, as a whole number
   * of microseconds (`emptyAt`) and the part of the last one that is not needed (`slack`, in units,
   * less than `permits`). Time alone then repays: nothing need be written while nobody comes, and a
   * clock that steps back makes the debt larger, never smaller.
   *
   * One permit taken at time 0: the debt is 1,000,000 units, repaid after 333,333.3 µs. So emptyAt is
   * 333,334, in which 1,000,002 units are repaid, 2 more than needed: slack 2. The next permit adds
   * 1,000,000 to what is owed, less those 2, and no third of a microsecond is ever lost.
   */

  public TokenBucket {
    require(
        burst >= 1,
        "burst must be at least 1, got %d; leave it out to allow %d",
        burst,
        rate.permits());
    String message =
        "burst %d at a rate of %s can't be counted exactly (burst x period exceeds 2^53 µs, or takes"
            + " 100 years to come back); lower the burst or choose a rounder rate";
    long units = Bounds.product(burst, rate.unitPeriod, message, burst, rate);
    require(rate.canRepay(units), message, burst, rate);
  }

  public TokenBucket(Rate rate) {
    this(rate, rate.permits());
  }

  @Override
  public Step step(State state, long now, long cost) {
    return bucket().step(adopt(state, now), now, cost);
  }

  @Override
  public BucketState adopt(State state, long now) {
    return bucket().adopt(state, now);
  }

  @Override
  public BucketState charged(State state, long now, long cost) {
    return bucket().charged(adopt(state, now), now, cost);
  }

  @Override
  public boolean isOwn(State state) {
    return bucket().isOwn(state);
  }

  @Override
  public TokenBucket dividedBy(int n) {
    long part = Utilization.among(n, burst);
    if (n == 1) return this;
    var slower = rate.dividedBy(n);
    return new TokenBucket(slower, slower.repayable(part));
  }

  @Override
  public long capacity() {
    return burst;
  }

  @Override
  public long window() {
    return bucket().drain();
  }

  @Override
  public String algorithm() {
    return "token-bucket";
  }

  /** The arithmetic behind this limit, for those who do it elsewhere. */
  public Bucket bucket() {
    return new Bucket(rate, burst * rate.unitPeriod, burst, false);
  }
}
