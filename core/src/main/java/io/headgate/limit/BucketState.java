package io.headgate.limit;

/**
 * The state of a token or leaky bucket: a debt, stored as the time at which it is repaid. This is
 * GCRA's theoretical arrival time. See {@link TokenBucket}.
 *
 * @param emptyAt when the debt is repaid, in microseconds since the epoch, rounded up
 * @param slack the units repaid by then in excess of the debt; less than one microsecond's worth
 * @param refillTime the {@link Bucket#refillTime} of the limit that wrote this state
 */
public record BucketState(long emptyAt, long slack, long refillTime) implements State {
  @Override
  public long freshAt() {
    return emptyAt;
  }

  @Override
  public long used(long now) {
    return Utilization.of(emptyAt - now, refillTime);
  }
}
