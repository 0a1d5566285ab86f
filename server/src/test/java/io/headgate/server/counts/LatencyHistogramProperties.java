package io.headgate.server.counts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.NotEmpty;

class LatencyHistogramProperties {
  @Property
  void percentileIsNeverTooLowAndAtMostOneSixteenthTooHigh(
      @ForAll @NotEmpty List<@LongRange(min = 0, max = 60_000_000_000L) Long> times,
      @ForAll @DoubleRange(min = 0.01, max = 1) double share) {
    var one = new LatencyHistogram();
    var other = new LatencyHistogram();
    for (int i = 0; i < times.size(); i++) (i % 2 == 0 ? one : other).record(times.get(i));
    one.add(other);
    var sorted = times.stream().sorted().toList();
    long truth = sorted.get(Math.max(1, (int) Math.ceil(share * sorted.size())) - 1);
    assertThat(one.percentile(share)).isBetween(truth, truth + truth / 16);
    assertThat(one.max()).isEqualTo(sorted.getLast());
  }

  @Property
  void bucketsAreContiguous(@ForAll @LongRange(min = 0, max = 1L << 37) long nanos) {
    int index = LatencyHistogram.bucketOf(nanos);
    if (nanos < 1L << 37)
      assertThat(LatencyHistogram.upperBound(index)).isGreaterThanOrEqualTo(nanos);
    if (index > 0) assertThat(LatencyHistogram.upperBound(index - 1)).isLessThan(nanos);
  }
}
