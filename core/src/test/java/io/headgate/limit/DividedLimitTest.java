package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DividedLimitTest {
  @Test
  void tokenBucketIsDividedInRateAndBurst() {
    var part = TokenBucket.of(Rate.perMinute(100)).withBurst(200).dividedBy(4);
    assertThat(part).isEqualTo(TokenBucket.of(rate(1, Duration.ofMillis(2_400))).withBurst(50));
  }

  @Test
  void unevenlyDividedRateIsExact() {
    var part = TokenBucket.of(Rate.perSecond(10)).dividedBy(3);
    assertThat(part.rate()).isEqualTo(rate(1, Duration.ofMillis(300)));
    assertThat(part.burst()).isEqualTo(3);
  }

  @Test
  void burstBelowTheNumberOfInstancesIsOneEach() {
    assertThat(TokenBucket.of(Rate.perSecond(2)).dividedBy(5).burst()).isEqualTo(1);
  }

  @Test
  void slowestRateIsOneInAHundredYears() {
    var slow = TokenBucket.of(rate(1, Bounds.MAX_DURATION)).withBurst(1);
    assertThat(slow.dividedBy(2)).isEqualTo(slow);
  }

  @Test
  void tooLongPeriodIsReducedToOnePermit() {
    var part = TokenBucket.of(rate(3, Bounds.MAX_DURATION)).withBurst(2).dividedBy(2);
    assertThat(part.rate().permits()).isEqualTo(1);
    assertThat(part.rate().periodMicros()).isEqualTo(Bounds.micros(Bounds.MAX_DURATION) * 2 / 3);
  }

  @Test
  void dividedQueueCountsTheRequestsBeingSent() {
    var part = LeakyBucket.of(Rate.perSecond(10)).withQueue(11).dividedBy(3);
    assertThat(part).isEqualTo(LeakyBucket.of(rate(1, Duration.ofMillis(300))).withQueue(3));
  }

  @Test
  void queueTooShortToDivideBecomesNone() {
    var part = LeakyBucket.of(Rate.perSecond(10)).withQueue(4).dividedBy(3);
    assertThat(part).isEqualTo(LeakyBucket.of(rate(1, Duration.ofMillis(300))));
  }

  @Test
  void dividedMaximumWaitIsShorter() {
    var part = LeakyBucket.of(Rate.perSecond(10)).withMaxWait(Duration.ofSeconds(1)).dividedBy(3);
    assertThat(part.queue()).isEqualTo(new LeakyBucket.Queue.Wait(Duration.ofMillis(800)));
    assertThat(part.capacity()).isEqualTo(3); // of 11
  }

  @Test
  void windowsAndSlotsAreDividedByNumber() {
    assertThat(FixedWindow.of(Rate.perHour(10)).dividedBy(3).permits()).isEqualTo(3);
    assertThat(SlidingWindow.of(Rate.perHour(10)).dividedBy(20).capacity()).isEqualTo(1);
    assertThat(Concurrency.of(10).dividedBy(4).max()).isEqualTo(2);
    assertThat(AdaptiveConcurrency.between(1, 100).withInitial(30).dividedBy(4))
        .isEqualTo(AdaptiveConcurrency.between(1, 25).withInitial(7));
  }

  @Test
  void minimumIntervalOfARollingWindowIsMultiplied() {
    var limit = RollingWindow.of(Rate.perMinute(10)).withMinInterval(Duration.ofSeconds(4));
    assertThat(limit.dividedBy(2))
        .isEqualTo(RollingWindow.of(Rate.perMinute(5)).withMinInterval(Duration.ofSeconds(8)));
    assertThat(limit.dividedBy(100).minInterval()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void limitCannotBeDividedByZero() {
    assertThatThrownBy(() -> Concurrency.of(3).dividedBy(0)).hasMessageContaining("got 0");
  }

  private static Rate rate(long permits, Duration period) {
    return Rate.of(permits, period);
  }
}
