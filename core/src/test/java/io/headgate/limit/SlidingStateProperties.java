package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Compares the packed counts of a sliding window with an array. */
class SlidingStateProperties {
  private static final long WIDTH = 1_000;
  private static final long PERMITS = 100;

  record Change(long later, long cost) {}

  @Property
  void packedCountsAreThoseOfAnArray(
      @ForAll @IntRange(min = 1, max = 300) int buckets, @ForAll("changes") List<Change> changes) {
    long bucket = 7;
    var state = SlidingState.with(0, bucket, new SlidingShape(buckets, WIDTH, PERMITS));
    var counts = new long[buckets + 1];
    for (var change : changes) {
      bucket += change.later;
      for (long i = 0; i < Math.min(change.later, counts.length); i++) {
        System.arraycopy(counts, 1, counts, 0, buckets);
        counts[buckets] = 0;
      }
      counts[buckets] += change.cost;
      state = state.advanceTo(bucket).plus(change.cost);

      assertThat(state.counts()).isEqualTo(counts);
      assertThat(state.total()).isEqualTo(Arrays.stream(counts).sum());
      assertThat(state.newest()).isEqualTo(counts[buckets]);
      for (int i = 0; i < counts.length; i++) assertThat(state.oldest(i)).isEqualTo(counts[i]);
      assertThat(state.oldest(counts.length)).isZero();
      assertThat(state.freshAt()).isEqualTo(freshAt(bucket, counts));
      var same = SlidingState.of(bucket, WIDTH, PERMITS, counts);
      assertThat(state).isEqualTo(same).hasSameHashCodeAs(same);
    }
  }

  private static long freshAt(long bucket, long[] counts) {
    for (int i = counts.length - 1; i >= 0; i--) {
      if (counts[i] > 0) return (bucket + i + 1) * WIDTH;
    }
    return Long.MIN_VALUE;
  }

  @Example
  void statesThatDifferInOneCountAreDifferent() {
    var counts = new long[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    var state = SlidingState.of(7, WIDTH, PERMITS, counts);
    for (int i = 0; i < counts.length; i++) {
      var other = counts.clone();
      other[i] += i % 2 == 0 ? 1 : 100_000;
      assertThat(SlidingState.of(7, WIDTH, PERMITS, other)).isNotEqualTo(state);
    }
  }

  @Provide
  Arbitrary<List<Change>> changes() {
    var later = Arbitraries.oneOf(Arbitraries.of(0L, 1L), Arbitraries.longs().between(0, 320));
    var cost =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 9),
            Arbitraries.longs().between(65_000, 66_000),
            Arbitraries.longs().between(0, 1L << 40));
    return Combinators.combine(later, cost).as(Change::new).list().ofMaxSize(40);
  }
}
