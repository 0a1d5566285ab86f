package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import org.jspecify.annotations.Nullable;

/**
 * Token bucket: at most {@code burst} permits at once and {@code rate} in the long run. In any span
 * of length t, at most {@code burst + rate * t} permits pass. The default algorithm, suitable for
 * most APIs.
 *
 * @param rate the rate at which permits are refilled
 * @param burst the capacity of the bucket
 * @param maxDebt the time, in microseconds, that usage beyond the capacity takes to be repaid at
 *     most; further usage is not charged. It affects {@link #charged} only, and no state depends on
 *     it
 */
public record TokenBucket(Rate rate, long burst, long maxDebt) implements Holdable {
  /*
   * GCRA in exact rational arithmetic
   *
   * This is the generic cell rate algorithm (ITU-T I.371): the state of a bucket is a single time,
   * the theoretical arrival time, at which the debt of all admitted requests is repaid.
   *
   * A limit of 3 per second refills one permit every 333333.3 µs. Rounding that interval would make
   * the limiter drift: at 700,000 per second, 1.43 µs would become 1 µs and admit 43% too much. So
   * the arithmetic never divides by the rate. A permit costs `period` units, and each microsecond
   * repays `permits` units. At 3 per second a permit costs 1,000,000 units and a microsecond repays
   * 3.
   *
   * The state is the time at which the debt is repaid, in whole microseconds and rounded up
   * (`emptyAt`), and the units that the last microsecond repays in excess (`slack`, less than
   * `permits`). Time alone repays the debt, so an idle counter needs no writes. A clock that steps
   * back makes the debt larger, never smaller.
   *
   * Example: one permit at time 0 is a debt of 1,000,000 units, repaid after 333,333.3 µs. So
   * emptyAt is 333,334, by which 1,000,002 units are repaid: slack is 2. The next permit adds
   * 1,000,000 - 2 units, and no fraction of a microsecond is lost.
   */

  /** The value of {@code maxDebt} that bounds nothing: no debt takes longer. */
  static final long NO_MAX_DEBT = Bounds.micros(Bounds.MAX_DURATION);

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
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
    require(
        maxDebt >= 0 && maxDebt <= NO_MAX_DEBT,
        "the highest debt must be 0 to 100 years, got %d µs",
        maxDebt);
  }

  /** Creates a limit that charges usage beyond its capacity without a bound. */
  public TokenBucket(Rate rate, long burst) {
    this(rate, burst, NO_MAX_DEBT);
  }

  /**
   * Creates a limit whose burst equals the permits of the rate.
   *
   * @throws IllegalArgumentException if that burst can't be counted exactly; the constructor takes
   *     a lower one
   */
  public static TokenBucket of(Rate rate) {
    return new TokenBucket(rate, rate.permits());
  }

  /**
   * Returns this limit with another burst.
   *
   * @throws IllegalArgumentException if the burst is less than 1 or can't be counted exactly
   */
  public TokenBucket withBurst(long burst) {
    return new TokenBucket(rate, burst, maxDebt);
  }

  @Override
  public TokenBucket withMaxDebt(long micros) {
    return new TokenBucket(rate, burst, Math.clamp(micros, 0, NO_MAX_DEBT));
  }

  /** Returns whether {@code maxDebt} bounds what is charged beyond the capacity. */
  public boolean boundsDebt() {
    return maxDebt < NO_MAX_DEBT;
  }

  @Override
  public long chargeable(State state, long now, long cost) {
    var bucket = bucket();
    return boundsDebt() ? Math.min(cost, bucket.room(adopt(state, now), now, maxDebt)) : cost;
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
    return bucket().charged(adopt(state, now), now, chargeable(state, now, cost));
  }

  @Override
  public boolean isOwn(State state) {
    return bucket().isOwn(state);
  }

  @Override
  public TokenBucket dividedBy(int n) {
    long part = Utilization.partOf(n, burst);
    if (n == 1) return this;
    var slower = rate.dividedBy(n);
    return new TokenBucket(slower, slower.repayable(part), maxDebt);
  }

  @Override
  public @Nullable TokenBucket partOf(int permille) {
    long part = Utilization.partOf(burst, permille);
    if (part == 0 || permille == 1_000) return part == 0 ? null : this;
    var slower = rate.partOf(permille, part);
    return new TokenBucket(slower, Math.max(1, slower.repayable(part)), maxDebt);
  }

  @Override
  public long capacity() {
    return burst;
  }

  @Override
  public long window() {
    return bucket().refillTime();
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.TOKEN_BUCKET;
  }

  /** Returns the arithmetic of this limit, for stores that evaluate it themselves. */
  public Bucket bucket() {
    return new Bucket(rate, burst * rate.unitPeriod, burst, false);
  }
}
