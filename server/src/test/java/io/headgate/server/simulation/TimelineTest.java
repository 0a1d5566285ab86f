package io.headgate.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimelineTest {
  @Property(tries = 100)
  void eventsAreCountedInTheirStepForAnyDuration(
      @ForAll long seed, @ForAll @LongRange(min = 1, max = 100_000_000_000L) long gap) {
    var random = new Random(seed);
    var timeline = new Timeline(1);
    var times = new long[200];
    long now = 1_789_300_800_000_000L + random.nextLong(100_000_000_000L);
    for (int i = 0; i < times.length; i++) {
      times[i] = now;
      timeline.add(0, now);
      now += random.nextLong(gap);
    }
    long step = timeline.stepMillis() * 1_000;
    var expected = new HashMap<Integer, Long>();
    for (long time : times) {
      expected.merge((int) ((time - timeline.fromMillis() * 1_000) / step), 1L, Long::sum);
    }
    var counts = timeline.counts(0);
    assertThat(counts.length).isLessThanOrEqualTo(Timeline.MAX_STEPS);
    for (int i = 0; i < counts.length; i++) {
      assertThat(counts[i]).isEqualTo(expected.getOrDefault(i, 0L));
    }
    assertThat(Arrays.stream(counts).sum()).isEqualTo(times.length);
  }

  @Test
  void emptyTimelineHasNoSteps() {
    assertThat(new Timeline(1).counts(0)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"60000,500", "1000,10", "86400000,1800000", "1,1", "61000,1000"})
  void stepsHaveRoundLengths(long duration, long step) {
    assertThat(TimeBuckets.millis(duration, 120)).isEqualTo(step);
  }
}
