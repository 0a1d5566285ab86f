package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.SlidingWindow.Bound;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/** The highest number that 100 per minute admits in any minute, with worst-case timing. */
class WorstCaseAdmissionTest {
  private static final Rate HUNDRED_PER_MINUTE = Rate.perMinute(100);
  private static final long MINUTE = 60_000_000;

  @Test
  void tokenBucketAdmitsItsBurstAndTheRefill() {
    assertThat(maxInAMinute(TokenBucket.of(HUNDRED_PER_MINUTE))).isEqualTo(199);
  }

  @Test
  void fixedWindowAdmitsTwiceItsLimitAcrossABoundary() {
    assertThat(maxInAMinute(FixedWindow.of(HUNDRED_PER_MINUTE))).isEqualTo(200);
  }

  @Test
  void interpolatedWindowAdmitsAlmostTwiceItsLimit() {
    assertThat(maxInAMinute(sliding(1, Bound.INTERPOLATED))).isEqualTo(199);
    assertThat(maxInAMinute(sliding(60, Bound.INTERPOLATED))).isEqualTo(199);
  }

  @Test
  void conservativeWindowAdmitsItsLimit() {
    assertThat(maxInAMinute(sliding(1, Bound.CONSERVATIVE))).isEqualTo(100);
    assertThat(maxInAMinute(sliding(60, Bound.CONSERVATIVE))).isEqualTo(100);
  }

  @Test
  void rollingWindowAdmitsItsLimit() {
    assertThat(maxInAMinute(RollingWindow.of(HUNDRED_PER_MINUTE))).isEqualTo(100);
  }

  private static SlidingWindow sliding(int buckets, Bound bound) {
    return SlidingWindow.of(HUNDRED_PER_MINUTE).withBuckets(buckets).withBound(bound);
  }

  /** Takes all permits in the last microsecond of a minute, then the rest at each millisecond. */
  private static int maxInAMinute(Limit limit) {
    State state = State.FRESH;
    var inside = new ArrayDeque<Long>();
    int max = 0;
    for (long now = MINUTE - 1; now < 3 * MINUTE; now += 1_000) {
      while (limit.step(state, now, 1) instanceof Step(var next, Passed passed)) {
        state = next;
        inside.add(now);
      }
      while (!inside.isEmpty() && inside.getFirst() <= now - MINUTE) inside.removeFirst();
      max = Math.max(max, inside.size());
    }
    return max;
  }
}
