package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.SlidingWindow.Bound;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlidingWindowTest {
  private static final Rate TEN_IN_TEN_SECONDS = Rate.of(10, Duration.ofSeconds(10));
  private static final SlidingWindow INTERPOLATED =
      SlidingWindow.of(TEN_IN_TEN_SECONDS).withBuckets(5);
  private static final SlidingWindow CONSERVATIVE =
      SlidingWindow.of(TEN_IN_TEN_SECONDS).withBuckets(5).withBound(Bound.CONSERVATIVE);

  /** Ten permits in the first of five buckets of 2 s, which leaves the window from 10 s to 12 s. */
  @Test
  void interpolatedUsageLeavesTheWindowEvenly() {
    assertThat(Trace.of(INTERPOLATED, "10@1s 9s 0@10s 0@10200ms 0@11s 0@11999ms 0@12s"))
        .isEqualTo("ok:0 wait:1200ms ok:0 ok:1 ok:5 ok:9 ok:10");
  }

  @Test
  void conservativeUsageLeavesTheWindowAtOnce() {
    assertThat(Trace.of(CONSERVATIVE, "10@1s 9s 0@10s 0@11s 0@11999ms 0@12s"))
        .isEqualTo("ok:0 wait:3s ok:0 ok:0 ok:0 ok:10");
  }

  @Test
  void retryTimeMaySpanSeveralBuckets() {
    assertThat(Trace.of(INTERPOLATED, "4@1s 4@3s 2@5s 3@5s 6@5s 10@5s"))
        .isEqualTo("ok:6 ok:2 ok:0 wait:6500ms wait:8s wait:11s");
    assertThat(Trace.of(CONSERVATIVE, "4@1s 4@3s 2@5s 3@5s 6@5s 10@5s"))
        .isEqualTo("ok:6 ok:2 ok:0 wait:7s wait:9s wait:11s");
  }

  @Test
  void oneBucketIsTheTwoCounterSlidingWindow() {
    var limit = SlidingWindow.of(TEN_IN_TEN_SECONDS).withBuckets(1);
    assertThat(Trace.of(limit, "10@9s 9s 0@10s 0@12s 2@12s 12s 0@19s 0@20s 0@30s"))
        .isEqualTo("ok:0 wait:2s ok:0 ok:2 ok:0 wait:1s ok:7 ok:8 ok:10");
  }

  @Test
  void bucketContinuesWhenTheClockStepsBack() {
    assertThat(Trace.of(INTERPOLATED, "5@1s 3@11s 0@2s 3@3s 0@21s"))
        .isEqualTo("ok:5 ok:4 ok:2 wait:7400ms ok:8");
  }

  @Test
  void costOfZeroPassesAndExcessiveCostIsImpossible() {
    assertThat(Trace.of(INTERPOLATED, "0@0s 11@0s 10@0s 0@0s")).isEqualTo("ok:10 never ok:0 ok:0");
  }
}
