package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class StallMeterTest {
  private static final long MILLI = 1_000_000;
  private static final long DEADLINE = 50 * MILLI;
  private static final long MAX_LOOKBACK = 500 * MILLI;

  /** Close to the overflow of the clock, so that a comparison by {@code <} would fail. */
  private static final long ORIGIN = Long.MAX_VALUE - 100 * MILLI;

  private final StallMeter meter = new StallMeter();

  @Test
  void withoutStallsTheDeadlineIsUnchanged() {
    assertThat(expiredAt(700)).isEqualTo(650);
  }

  @Test
  void stallWithinTheDeadlineExtendsIt() {
    stall(660, 690);
    assertThat(expiredAt(700)).isEqualTo(620);
    stall(640, 645);
    assertThat(expiredAt(700)).isEqualTo(615);
  }

  @Test
  void stallBeforeTheWaitDoesNotCount() {
    stall(100, 640);
    assertThat(expiredAt(700)).isEqualTo(650);
  }

  @Test
  void onlyTheOverlapOfStallAndWaitCounts() {
    stall(600, 680);
    assertThat(expiredAt(700)).isEqualTo(570); // 20 ms after it and 30 ms before it
  }

  @Test
  void overlappingStallsCountOnce() {
    stall(660, 670);
    stall(655, 690);
    stall(680, 690);
    assertThat(expiredAt(700)).isEqualTo(615);
  }

  @Test
  void ongoingStallCounts() {
    stall(660, 700);
    assertThat(expiredAt(700)).isEqualTo(610);
  }

  @Test
  void waitIsBoundedDespiteLongStalls() {
    stall(0, 5_000);
    assertThat(expiredAt(5_000)).isEqualTo(4_500);
    assertThat(expiredAt(5_010)).isEqualTo(4_510);
  }

  @Test
  void ordinaryDelaysAreNotRecorded() {
    meter.record(at(650), at(650) + StallMeter.TOLERATED_NANOS);
    assertThat(expiredAt(700)).isEqualTo(650);
  }

  @Test
  void oldestStallsAreEvicted() {
    for (int i = 0; i < 1_000; i++) stall(10 * i, 10 * i + 5);
    // Half of the time is stalled, so 50 ms of running take about 100 ms.
    assertThat(expiredAt(10_000)).isBetween(9_895L, 9_905L);
  }

  /** Compares with a count of single milliseconds. */
  @Property
  void agreesWithMillisecondCounting(
      @ForAll long seed, @ForAll @LongRange(min = 0, max = 600) long now) {
    var meter = new StallMeter();
    var random = new Random(seed);
    var stalled = new boolean[600];
    long end = 0;
    while (end < now) {
      long begin = Math.max(0, end - random.nextInt(20));
      end += 2 + random.nextInt(60);
      if (end > now || random.nextBoolean()) continue;
      meter.record(at(begin), at(end));
      if (end - begin > 1) for (long i = begin; i < end; i++) stalled[(int) i] = true;
    }
    long at = now;
    for (int left = 50; left > 0 && at > now - 500; at--) {
      if (at <= 0 || !stalled[(int) at - 1]) left--;
    }
    long expired = meter.runningSince(at(now), DEADLINE, MAX_LOOKBACK);
    assertThat((expired - ORIGIN) / MILLI).isEqualTo(at);
  }

  private static long at(long millis) {
    return ORIGIN + millis * MILLI;
  }

  private void stall(long beginMillis, long endMillis) {
    meter.record(at(beginMillis), at(endMillis));
  }

  private long expiredAt(long nowMillis) {
    return (meter.runningSince(at(nowMillis), DEADLINE, MAX_LOOKBACK) - ORIGIN) / MILLI;
  }
}
