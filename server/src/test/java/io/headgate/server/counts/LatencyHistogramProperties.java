package io.headgate.server.counts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.NotEmpty;

class LatencyHistogramProperties {
  @Property
  void percentileIsNeverTooLowAndAtMostOneSixteenthTooHigh(
      @ForAll @NotEmpty List<@LongRange(min = 0, max = 60_000_000_000L) Long> times,
      @ForAll @IntRange(min = 1, max = 100) int percent) {
    var one = new LatencyHistogram();
    var other = new LatencyHistogram();
    for (int i = 0; i < times.size(); i++) (i % 2 == 0 ? one : other).record(times.get(i));
    one.add(other);
    var sorted = times.stream().sorted().toList();
    long truth = sorted.get(Math.ceilDiv(percent * sorted.size(), 100) - 1);
    assertThat(one.percentile(percent)).isBetween(truth, truth + truth / 16);
    assertThat(one.max()).isEqualTo(sorted.getLast());
  }

  @Example
  void latencyOutOfRangeIsCounted() {
    var histogram = new LatencyHistogram();
    histogram.record(-1);
    assertThat(histogram.percentile(50)).isZero();
    histogram.record(Long.MAX_VALUE);
    histogram.record(Long.MAX_VALUE);
    assertThat(histogram.percentile(50)).isGreaterThan(120_000_000_000L);
    assertThat(histogram.max()).isEqualTo(Long.MAX_VALUE);
  }
}
