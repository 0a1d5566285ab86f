package io.headgate.internal.consistency;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Holdable;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import org.junit.jupiter.api.Test;

/** Tests deadlines of reports; the local clock is a second behind the store's. */
class ReportDeadlineTest {
  private static final long MILLI = 1_000_000;
  private static final Holdable SLIDING = SlidingWindow.of(Rate.perSecond(1_000));

  private final ReportDeadline deadline = new ReportDeadline();

  /** The reply arrives at {@code millis} of the local clock, after a round trip of 2 ms. */
  private void reply(Holdable limit, long millis) {
    deadline.set(limit, (millis - 2) * MILLI, millis * MILLI, (millis - 2 + 1_000) * 1_000);
  }

  @Test
  void reportIsSentARoundTripBeforeTheBucketEnds() {
    deadline.setUtilization(1);
    reply(SLIDING, 40);
    assertThat(deadline.isNear(95 * MILLI)).isFalse();
    assertThat(deadline.isNear(96 * MILLI)).isTrue();
    assertThat(deadline.isDue(97 * MILLI)).isFalse();
    assertThat(deadline.isDue(98 * MILLI)).isTrue();
  }

  @Test
  void replyAtTheEndOfABucketSetsTheDeadlineOfTheNext() {
    deadline.setUtilization(1);
    reply(SLIDING, 97);
    assertThat(deadline.isNear(150 * MILLI)).isFalse();
    assertThat(deadline.isDue(198 * MILLI)).isTrue();
  }

  @Test
  void fixedWindowIsReportedBeforeItEnds() {
    deadline.setUtilization(1);
    reply(FixedWindow.of(Rate.perSecond(1_000)), 40);
    assertThat(deadline.isDue(989 * MILLI)).isFalse();
    assertThat(deadline.isDue(990 * MILLI)).isTrue();
  }

  @Test
  void bucketsAndSeldomUsedLimitsHaveNone() {
    deadline.setUtilization(0.4);
    reply(SLIDING, 40);
    assertThat(deadline.startTimer()).isEqualTo(ReportDeadline.NONE);
    deadline.setUtilization(1);
    reply(TokenBucket.of(Rate.perSecond(1_000)), 40);
    assertThat(deadline.startTimer()).isEqualTo(ReportDeadline.NONE);
    assertThat(deadline.isNear(Long.MAX_VALUE / 2)).isFalse();
  }

  @Test
  void timerIsStartedOnce() {
    deadline.setUtilization(1);
    reply(SLIDING, 40);
    assertThat(deadline.startTimer()).isEqualTo(98 * MILLI);
    assertThat(deadline.startTimer()).isEqualTo(ReportDeadline.NONE);
    deadline.timerEnded();
    deadline.skipPeriod(98 * MILLI);
    assertThat(deadline.startTimer()).isEqualTo(198 * MILLI);
  }
}
