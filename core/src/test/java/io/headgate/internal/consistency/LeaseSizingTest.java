package io.headgate.internal.consistency;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Holdable;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import org.junit.jupiter.api.Test;

class LeaseSizingTest {
  private static final LeaseSizing SIZING = new LeaseSizing(10);
  private static final Holdable BUCKET = TokenBucket.of(Rate.perSecond(1_000));
  private static final Holdable FIXED = FixedWindow.of(Rate.perSecond(1_000));
  private static final Holdable SLIDING = SlidingWindow.of(Rate.perSecond(1_000));

  private static long size(Holdable limit, double perSecond, long left) {
    return SIZING.size(limit, 5, perSecond, left, Long.MAX_VALUE);
  }

  @Test
  void leaseLastsForItsDurationAtTheCurrentRate() {
    assertThat(size(BUCKET, 100, 0)).isEqualTo(50);
    assertThat(size(FIXED, 100, 1_000)).isEqualTo(50);
  }

  @Test
  void instanceHoldsAtMostATenth() {
    assertThat(size(BUCKET, 100_000, 1_000)).isEqualTo(100);
    assertThat(SIZING.size(BUCKET, 50, 100_000, 1_000, Long.MAX_VALUE)).isEqualTo(10);
  }

  @Test
  void leaseOfAWindowShrinksWithThePermitsThatAreLeft() {
    assertThat(size(SLIDING, 100, 500)).isEqualTo(25);
    assertThat(size(SLIDING, 200, 10)).isEqualTo(3);
    assertThat(size(BUCKET, 200, 10)).isEqualTo(100);
  }

  @Test
  void scarceWindowIsNotRenewedInAdvance() {
    assertThat(LeaseSizing.renewalThreshold(SLIDING, 40, 101)).isEqualTo(20);
    assertThat(LeaseSizing.renewalThreshold(SLIDING, 40, 100)).isNegative();
    assertThat(LeaseSizing.renewalThreshold(BUCKET, 40, 0)).isEqualTo(10);
  }

  @Test
  void firstLeasesOfABucketThatWillBeExhaustedAreShort() {
    double overload = LeaseSizing.utilization(BUCKET, 5, 600);
    assertThat(overload).isEqualTo(3);
    long first = LeaseSizing.maxTime(BUCKET, overload, 0);
    assertThat(first).isEqualTo(1_000_000 / 64);
    assertThat(LeaseSizing.maxTime(BUCKET, overload, first)).isEqualTo(2 * first);
    assertThat(LeaseSizing.maxTime(BUCKET, overload, 400_000)).isEqualTo(500_000);
    assertThat(LeaseSizing.maxTime(BUCKET, 0.9, 0)).isEqualTo(500_000);
    assertThat(LeaseSizing.maxTime(SLIDING, overload, 0)).isEqualTo(500_000);
  }

  @Test
  void instancesTogetherRequestAnExhaustedLimitTwiceASecond() {
    var minute = TokenBucket.of(Rate.perMinute(1_000));
    assertThat(LeaseSizing.exhaustedPause(minute, 1, 0)).isEqualTo(500_000);
    assertThat(LeaseSizing.exhaustedPause(minute, 3, 9)).isEqualTo(1_500_000);
    assertThat(LeaseSizing.exhaustedPause(minute, 60, 0)).isEqualTo(2_400_000);
  }

  @Test
  void pauseOfAFixedWindowGrowsWithEachRequestInVain() {
    assertThat(LeaseSizing.exhaustedPause(FIXED, 5, 0)).isEqualTo(10_000);
    assertThat(LeaseSizing.exhaustedPause(FIXED, 5, 2)).isEqualTo(40_000);
    assertThat(LeaseSizing.exhaustedPause(FIXED, 5, 50)).isEqualTo(80_000);
    assertThat(LeaseSizing.exhaustedPause(SLIDING, 5, 50)).isEqualTo(10_000);
  }

  @Test
  void rareCallersGetNoLeaseAtTheFirstCheck() {
    assertThat(SIZING.initialSize(TokenBucket.of(Rate.perMinute(1_000)), 2)).isEqualTo(20);
    assertThat(SIZING.initialSize(TokenBucket.of(Rate.perMinute(100)), 2)).isZero();
    assertThat(SIZING.initialSize(BUCKET, 2)).isZero();
  }
}
