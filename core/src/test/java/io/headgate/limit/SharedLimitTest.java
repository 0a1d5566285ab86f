package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SharedLimitTest {
  @Test
  void aTokenBucketIsAsManyTimesSlowerAndSmaller() {
    var share = new TokenBucket(Rate.perMinute(100), 200).dividedBy(4);
    assertThat(share).isEqualTo(new TokenBucket(rate(1, Duration.ofMillis(2_400)), 50));
  }

  @Test
  void aRateThatCanNotBeSharedOutEvenlyIsStillExact() {
    var share = new TokenBucket(Rate.perSecond(10)).dividedBy(3);
    assertThat(share.rate()).isEqualTo(rate(1, Duration.ofMillis(300)));
    assertThat(share.burst()).isEqualTo(3);
  }

  @Test
  void aBurstOfLessThanTheInstancesIsOneForEach() {
    assertThat(new TokenBucket(Rate.perSecond(2)).dividedBy(5).burst()).isEqualTo(1);
  }

  @Test
  void oneInAHundredYearsIsTheSlowestShare() {
    var slow = new TokenBucket(rate(1, Bounds.LONGEST), 1);
    assertThat(slow.dividedBy(2)).isEqualTo(slow);
  }

  @Test
  void aPeriodThatWouldBeTooLongIsOfOnePermitInstead() {
    var share = new TokenBucket(rate(3, Bounds.LONGEST), 2).dividedBy(2);
    assertThat(share.rate().permits()).isEqualTo(1);
    assertThat(share.rate().periodMicros()).isEqualTo(Bounds.micros(Bounds.LONGEST) * 2 / 3);
  }

  @Test
  void aQueueIsCutSoThatThoseWhoGoAheadCountToo() {
    var share = LeakyBucket.queueing(Rate.perSecond(10), 11).dividedBy(3);
    assertThat(share).isEqualTo(LeakyBucket.queueing(rate(1, Duration.ofMillis(300)), 3));
  }

  @Test
  void aQueueThatIsTooShortToBeSharedOutBecomesNone() {
    var share = LeakyBucket.queueing(Rate.perSecond(10), 4).dividedBy(3);
    assertThat(share).isEqualTo(LeakyBucket.rejecting(rate(1, Duration.ofMillis(300))));
  }

  @Test
  void aLongestWaitIsShorterByThoseWhoGoAheadElsewhere() {
    var share = LeakyBucket.queueing(Rate.perSecond(10), Duration.ofSeconds(1)).dividedBy(3);
    assertThat(share.line()).isEqualTo(new LeakyBucket.Queue.Wait(Duration.ofMillis(800)));
    assertThat(share.capacity()).isEqualTo(3); // of 11
  }

  @Test
  void windowsAndSlotsAreCutByNumber() {
    assertThat(FixedWindow.of(Rate.perHour(10)).dividedBy(3).permits()).isEqualTo(3);
    assertThat(SlidingWindow.of(Rate.perHour(10)).dividedBy(20).capacity()).isEqualTo(1);
    assertThat(Concurrency.of(10).dividedBy(4).max()).isEqualTo(2);
  }

  @Test
  void requestsOfARollingWindowAreKeptApartByMore() {
    var limit = new RollingWindow(Rate.perMinute(10), Duration.ofSeconds(4));
    assertThat(limit.dividedBy(2))
        .isEqualTo(new RollingWindow(Rate.perMinute(5), Duration.ofSeconds(8)));
    assertThat(limit.dividedBy(100).minInterval()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void nobodyCanShareALimit() {
    assertThatThrownBy(() -> Concurrency.of(3).dividedBy(0)).hasMessageContaining("got 0");
  }

  private static Rate rate(long permits, Duration period) {
    return Rate.of(permits, period);
  }
}
