package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeakyBucketTest {
  private static final Rate TEN_PER_SECOND = Rate.perSecond(10);

  @Test
  void earlyRequestIsRefusedWithoutAQueue() {
    assertThat(Trace.of(LeakyBucket.of(TEN_PER_SECOND), "0ms 0ms 99ms 100ms 150ms 2@500ms"))
        .isEqualTo("ok:0 wait:100ms wait:1ms ok:0 wait:50ms never");
  }

  @Test
  void queueOfALengthSpacesRequestsEvenly() {
    assertThat(
            Trace.of(LeakyBucket.of(TEN_PER_SECOND).withQueue(3), "0ms 0ms 0ms 0ms 0ms 50ms 100ms"))
        .isEqualTo("ok:3 in100ms:2 in200ms:1 in300ms:0 wait:100ms wait:50ms in300ms:0");
  }

  @Test
  void queueWithAMaximumWaitRefusesLongerWaits() {
    var limit = LeakyBucket.of(TEN_PER_SECOND).withMaxWait(Duration.ofMillis(250));
    assertThat(Trace.of(limit, "0ms 0ms 0ms 0ms 49ms 50ms"))
        .isEqualTo("ok:2 in100ms:1 in200ms:0 wait:50ms wait:1ms in250ms:0");
  }

  @Test
  void higherCostDelaysFollowingRequests() {
    assertThat(Trace.of(LeakyBucket.of(TEN_PER_SECOND).withQueue(9), "5@0ms 0ms 4@0ms 0ms"))
        .isEqualTo("ok:5 in500ms:4 in600ms:0 wait:100ms");
  }

  @Test
  void requestIsNotDelayedByAnEmptyQueue() {
    assertThat(Trace.of(LeakyBucket.of(TEN_PER_SECOND).withQueue(3), "0ms 100ms 250ms 250ms 1s"))
        .isEqualTo("ok:3 ok:3 ok:3 in100ms:2 ok:3");
  }

  @Test
  void clockThatStepsBackLengthensTheQueue() {
    assertThat(Trace.of(LeakyBucket.of(TEN_PER_SECOND).withQueue(3), "1000ms 900ms 800ms 1000ms"))
        .isEqualTo("ok:3 in200ms:1 wait:100ms in200ms:1");
  }

  @Test
  void costOfZeroTakesNoPlaceInTheQueue() {
    assertThat(Trace.of(LeakyBucket.of(TEN_PER_SECOND).withQueue(1), "0ms 0@0ms 0ms 0@0ms"))
        .isEqualTo("ok:1 ok:1 in100ms:0 ok:0");
  }
}
