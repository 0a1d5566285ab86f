package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import java.util.Optional;

/**
 * How the rate of a token bucket follows a signal of a backend. The rate is the upper bound while
 * the signal is below its target, and falls in proportion to the admitted share of {@link
 * io.headgate.load.ShedController} while it is above.
 *
 * @param low the lowest rate
 * @param high the highest rate, with the same period
 * @param signal the figure to follow
 * @param target the value to keep; as in {@link ShedPolicy}
 * @param pin the rate that applies instead of the computed one, if it is pinned
 */
public record Tuning(Rate low, Rate high, SignalKind signal, double target, Optional<Rate> pin) {
  /** The number of steps between the bounds, so that small changes of a signal change nothing. */
  static final int STEPS = 100;

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public Tuning {
    require(
        low.period().equals(high.period()),
        "the bounds must have the same period, got %s and %s",
        low,
        high);
    require(
        low.permits() < high.permits(),
        "the first bound must be below the second, got %s and %s",
        low,
        high);
    var unused = ShedPolicy.of(signal, target);
    require(
        pin.isEmpty() || isBetween(pin.get(), low, high),
        "the pinned rate must be between the bounds, got %s",
        pin.orElse(low));
  }

  /** Returns the policy of the controller. */
  public ShedPolicy policy() {
    return ShedPolicy.of(signal, target);
  }

  /**
   * Validates that the tuning applies to a bucket.
   *
   * @throws IllegalArgumentException if the rate of the bucket is not between the bounds, or one of
   *     the rates can't be counted exactly with its burst
   */
  public void requireFits(TokenBucket bucket) {
    require(
        isBetween(bucket.rate(), low, high),
        "the rate must be between the bounds of adapt, got %s",
        bucket.rate());
    for (int step = 0; step <= STEPS; step++) {
      var unused = scaled(bucket, rate(step));
    }
    pin.ifPresent(rate -> scaled(bucket, rate));
  }

  /**
   * Returns the bucket that applies. Its burst is in proportion to its rate.
   *
   * @param bucket the bucket as the rule has it, which applies without a signal
   * @param admitted the share that the controller admits, from 0 to 1
   * @param trust how much of the signal counts: 1 while it is fresh, 0 if there is none
   */
  public TokenBucket at(TokenBucket bucket, double admitted, double trust) {
    if (pin.isPresent()) return scaled(bucket, pin.get());
    if (trust <= 0) return bucket;
    double fixed = perSecond(bucket.rate()) / perSecond(high) * high.permits();
    double tuned = Math.max((double) low.permits(), admitted * high.permits());
    double permits = fixed + Math.min(1, trust) * (tuned - fixed);
    double part = (permits - low.permits()) / (high.permits() - low.permits());
    return scaled(bucket, rate((int) Math.round(Math.clamp(part, 0, 1) * STEPS)));
  }

  private Rate rate(int step) {
    double permits = low.permits() + (high.permits() - low.permits()) * (step / (double) STEPS);
    return Rate.of(Math.round(permits), high.period());
  }

  private static TokenBucket scaled(TokenBucket bucket, Rate rate) {
    double burst = bucket.burst() * perSecond(rate) / perSecond(bucket.rate());
    return new TokenBucket(rate, Math.max(1, Math.round(burst)), bucket.maxDebt());
  }

  /** Returns the permits per second. */
  public static double perSecond(Rate rate) {
    return rate.permits() * 1e6 / rate.periodMicros();
  }

  private static boolean isBetween(Rate rate, Rate low, Rate high) {
    return perSecond(rate) >= perSecond(low) && perSecond(rate) <= perSecond(high);
  }
}
