package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.benchmarks.Excess.Interval;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Holdable;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExcessTest {
  private static final Rate TEN_A_SECOND = Rate.perSecond(10);

  private static List<Interval> at(long... micros) {
    return LongStream.of(micros).mapToObj(at -> new Interval(at, at)).toList();
  }

  @Test
  void fullWindowHasNoExcess() {
    var full = LongStream.range(0, 10).map(i -> i * 1_000).toArray();
    assertThat(Excess.of(FixedWindow.of(TEN_A_SECOND), at(full))).isZero();
    assertThat(Excess.of(SlidingWindow.of(TEN_A_SECOND), at(full))).isZero();
    assertThat(Excess.of(TokenBucket.of(TEN_A_SECOND), at(full))).isZero();
  }

  @Test
  void spanAcrossAWindowEdgeExceedsAllButTheFixedWindow() {
    var across = LongStream.range(-10, 10).map(i -> 1_000_000 + i * 1_000).toArray();
    assertThat(Excess.of(FixedWindow.of(TEN_A_SECOND), at(across))).isZero();
    assertThat(Excess.of(SlidingWindow.of(TEN_A_SECOND), at(across))).isEqualTo(10);
    assertThat(Excess.of(TokenBucket.of(TEN_A_SECOND), at(across))).isEqualTo(10);
  }

  @Test
  void requestsOfUncertainWindowAreNotCounted() {
    var passed = new ArrayList<>(at(LongStream.range(0, 10).toArray()));
    passed.add(new Interval(999_990, 1_000_010));
    assertThat(Excess.of(FixedWindow.of(TEN_A_SECOND), passed)).isZero();
    passed.add(new Interval(999_980, 999_990));
    assertThat(Excess.of(FixedWindow.of(TEN_A_SECOND), passed)).isEqualTo(1);
  }

  @Test
  void noAdmissionsHaveNoExcess() {
    var none = Excess.of(FixedWindow.of(TEN_A_SECOND), List.of());
    assertThat(none).isEqualTo(Excess.NO_REQUESTS);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void fullestSpanIsFound(long seed) {
    var random = new SplittableRandom(seed);
    var passed = new ArrayList<Interval>();
    for (int i = 0; i < 120; i++) {
      long from = random.nextLong(4_000_000);
      passed.add(new Interval(from, from + random.nextLong(50_000)));
    }
    var bucket = TokenBucket.of(TEN_A_SECOND).withBurst(5);
    var sliding = SlidingWindow.of(TEN_A_SECOND).withBound(SlidingWindow.Bound.CONSERVATIVE);
    assertThat(Excess.of(bucket, passed)).isEqualTo(plainly(bucket, passed));
    assertThat(Excess.of(sliding, passed)).isEqualTo(plainly(sliding, passed));
  }

  /** Computes the excess naively, over every span between two requests. */
  private static long plainly(Holdable limit, List<Interval> passed) {
    long most = Long.MIN_VALUE;
    for (var first : passed) {
      for (var last : passed) {
        long from = first.from();
        long to = last.to();
        if (to < from || (limit instanceof SlidingWindow && to - from >= 1_000_000)) continue;
        long inside = passed.stream().filter(i -> i.from() >= from && i.to() <= to).count();
        long allowed = limit instanceof SlidingWindow ? 10_000_000 : 5_000_000 + (to - from) * 10;
        most = Math.max(most, Math.ceilDiv(inside * 1_000_000 - allowed, 1_000_000));
      }
    }
    return most;
  }
}
