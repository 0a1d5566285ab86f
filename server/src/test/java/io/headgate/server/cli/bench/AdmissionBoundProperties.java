package io.headgate.server.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import java.time.Duration;
import java.util.ArrayList;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class AdmissionBoundProperties {
  /** A caller that sends all the time never exceeds the bound, in any part of that time. */
  @Property(tries = 300)
  void noSpanOfAGreedyCallerExceedsTheBound(
      @ForAll("limits") Limit limit,
      @ForAll @LongRange(max = 10_000_000) long start,
      @ForAll @IntRange(min = 1_000, max = 50_000) int step) {
    State state = State.FRESH;
    var admitted = new ArrayList<Long>();
    for (long now = start; now < start + 5_000_000; now += step) {
      for (int i = 0; i < 3; i++) {
        var result = limit.step(state, now, 1);
        state = result.state();
        if (result.outcome() instanceof Passed) admitted.add(now);
      }
    }
    for (int from = 0; from < admitted.size(); from += 7) {
      for (int to = from; to < admitted.size(); to += 5) {
        long span = admitted.get(to) - admitted.get(from);
        assertThat(to - from + 1L)
            .isLessThanOrEqualTo(AdmissionBound.of(limit, span).orElseThrow());
      }
    }
  }

  @Example
  void burstAndRefillOfABucketAreItsBound() {
    var bucket = TokenBucket.of(Rate.perMinute(60)).withBurst(10);
    assertThat(AdmissionBound.of(bucket, 5_999_999)).hasValue(10 + 5);
    assertThat(AdmissionBound.of(bucket, 6_000_000)).hasValue(10 + 6);
  }

  @Example
  void slotsHaveNoBound() {
    assertThat(AdmissionBound.of(Concurrency.of(3), 1)).isEmpty();
  }

  @Provide
  Arbitrary<Limit> limits() {
    var rates =
        Arbitraries.longs()
            .between(1, 40)
            .flatMap(permits ->
                Arbitraries.of(500, 1_000, 2_000)
                    .map(millis -> Rate.of(permits, Duration.ofMillis(millis))));
    return rates.flatMap(rate ->
        Arbitraries.of(
            TokenBucket.of(rate),
            TokenBucket.of(rate).withBurst(3),
            LeakyBucket.of(rate),
            new LeakyBucket(rate, new LeakyBucket.Queue.Length(4)),
            FixedWindow.of(rate),
            new SlidingWindow(rate, 10, SlidingWindow.Bound.INTERPOLATED),
            new SlidingWindow(rate, 1, SlidingWindow.Bound.INTERPOLATED),
            new SlidingWindow(rate, 5, SlidingWindow.Bound.CONSERVATIVE),
            RollingWindow.of(rate)));
  }
}
