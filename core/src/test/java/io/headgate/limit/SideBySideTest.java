package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.SlidingWindow.Bound;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/** The most that 100 a minute admits in some minute, to a caller who times requests to that end. */
class SideBySideTest {
  private static final Rate HUNDRED_PER_MINUTE = Rate.perMinute(100);
  private static final long MINUTE = 60_000_000;

  @Test
  void aTokenBucketAdmitsItsBurstAndWhatComesBackMeanwhile() {
    assertThat(mostInAMinute(new TokenBucket(HUNDRED_PER_MINUTE))).isEqualTo(199);
  }

  @Test
  void aFixedWindowAdmitsTwiceItsLimitAcrossABoundary() {
    assertThat(mostInAMinute(FixedWindow.of(HUNDRED_PER_MINUTE))).isEqualTo(200);
  }

  @Test
  void anInterpolatedWindowAdmitsAlmostTwiceItsLimit() {
    assertThat(mostInAMinute(sliding(1, Bound.INTERPOLATED))).isEqualTo(199);
    assertThat(mostInAMinute(sliding(60, Bound.INTERPOLATED))).isEqualTo(199);
  }

  @Test
  void aConservativeWindowAdmitsItsLimit() {
    assertThat(mostInAMinute(sliding(1, Bound.CONSERVATIVE))).isEqualTo(100);
    assertThat(mostInAMinute(sliding(60, Bound.CONSERVATIVE))).isEqualTo(100);
  }

  @Test
  void aRollingWindowAdmitsItsLimit() {
    assertThat(mostInAMinute(RollingWindow.of(HUNDRED_PER_MINUTE))).isEqualTo(100);
  }

  private static SlidingWindow sliding(int buckets, Bound bound) {
    return new SlidingWindow(HUNDRED_PER_MINUTE, buckets, bound);
  }

  /** Takes everything at the last moment of a minute, then whatever is left at each millisecond. */
  private static int mostInAMinute(Limit limit) {
    State state = State.FRESH;
    var inside = new ArrayDeque<Long>();
    int most = 0;
    for (long now = MINUTE - 1; now < 3 * MINUTE; now += 1_000) {
      while (limit.step(state, now, 1) instanceof Step(var next, Passed passed)) {
        state = next;
        inside.add(now);
      }
      while (!inside.isEmpty() && inside.getFirst() <= now - MINUTE) inside.removeFirst();
      most = Math.max(most, inside.size());
    }
    return most;
  }
}
