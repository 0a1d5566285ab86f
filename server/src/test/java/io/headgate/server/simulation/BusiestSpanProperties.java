package io.headgate.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class BusiestSpanProperties {
  @Property(tries = 300)
  void isTheMaximumOverAllSpansThatBeginWithAnEvent(
      @ForAll @Size(max = 40) List<@IntRange(max = 100) Integer> times,
      @ForAll @LongRange(min = 1, max = 50) long span) {
    long[] sorted = times.stream().mapToLong(Integer::longValue).sorted().toArray();
    long expected =
        Arrays.stream(sorted)
            .map(from -> Arrays.stream(sorted).filter(t -> t >= from && t < from + span).count())
            .max()
            .orElse(0);
    assertThat(BusiestSpan.of(sorted, sorted.length, span)).isEqualTo((int) expected);
  }
}
