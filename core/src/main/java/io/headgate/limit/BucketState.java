package io.headgate.limit;

/**
 * A debt, as the moment when it will have been repaid. {@link TokenBucket} explains.
 *
 * @param emptyAt when the debt is repaid, rounded up to a whole microsecond
 * @param slack the units repaid by then beyond what was owed; less than one microsecond's worth
 * @param drain how long the whole capacity takes to repay, under the limit that wrote this
 */
public record BucketState(long emptyAt, long slack, long drain) implements State {
  @Override
  public long freshAt() {
    return emptyAt;
  }

  @Override
  public long used(long now) {
    return Utilization.of(emptyAt - now, drain);
  }
}
