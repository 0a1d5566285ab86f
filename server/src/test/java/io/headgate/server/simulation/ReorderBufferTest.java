package io.headgate.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ReorderBufferTest {
  private static final long SECOND = 1_000_000;

  private final List<Long> times = new ArrayList<>();

  private static Arrival at(long micros, boolean coarse) {
    return new Arrival(micros, coarse, Request.of(Subject.of("x")));
  }

  private void record(Arrival arrival) {
    times.add(arrival.micros());
  }

  @Property(tries = 100)
  void requestsWithinTheLookAheadAreSorted(@ForAll long seed) {
    var random = new Random(seed);
    times.clear();
    var buffer = ReorderBuffer.bounded(this::record, 5 * SECOND, 1_000, false);
    var given = new ArrayList<Long>();
    for (int i = 0; i < 300; i++) given.add(i * SECOND + random.nextLong(4 * SECOND));
    for (var time : given) buffer.add(at(time, false));
    buffer.finish();
    assertThat(times).isEqualTo(given.stream().sorted().toList());
    assertThat(buffer.late()).isZero();
  }

  @Test
  void requestsBeyondTheLookAheadAreCountedAsLate() {
    var buffer = ReorderBuffer.bounded(this::record, SECOND, 1_000, false);
    for (long second : new long[] {1, 5, 9, 2, 10}) buffer.add(at(second * SECOND, false));
    buffer.finish();
    assertThat(buffer.late()).isEqualTo(1);
    assertThat(times).hasSize(5);
  }

  @Test
  void lateRequestGetsTheLatestTimeAndDoesNotSplitASecond() {
    var buffer = ReorderBuffer.bounded(this::record, SECOND, 1_000, true);
    for (long second : new long[] {10, 10, 12, 5, 10}) buffer.add(at(second * SECOND, true));
    buffer.finish();
    assertThat(times)
        .containsExactly(
            10 * SECOND, 10 * SECOND, 10 * SECOND + 333_333, 10 * SECOND + 666_666, 12 * SECOND);
    assertThat(buffer.late()).isEqualTo(1);
    assertThat(buffer.overflowed()).isZero();
  }

  @Test
  void overflowIsCountedSeparately() {
    var buffer = ReorderBuffer.bounded(this::record, 10 * SECOND, 2, false);
    for (long second : new long[] {3, 4, 5, 7}) buffer.add(at(second * SECOND, false));
    buffer.add(at(3_500_000, false));
    buffer.finish();
    assertThat(buffer.late()).isZero();
    assertThat(buffer.overflowed()).isEqualTo(1);
    assertThat(times).containsExactly(3 * SECOND, 4 * SECOND, 4 * SECOND, 5 * SECOND, 7 * SECOND);
  }

  @Test
  void bufferIsBounded() {
    var buffer = ReorderBuffer.bounded(this::record, Long.MAX_VALUE, 10, false);
    for (int i = 0; i < 25; i++) buffer.add(at(i, false));
    assertThat(times).hasSize(15);
  }

  @Test
  void coarseTimesAreSpreadOverTheirSecond() {
    var buffer = ReorderBuffer.unbounded(this::record, true);
    for (int i = 0; i < 4; i++) buffer.add(at(SECOND, true));
    buffer.add(at(2 * SECOND, true));
    buffer.add(at(2_700_000, false));
    buffer.add(at(0, true));
    buffer.finish();
    assertThat(times)
        .containsExactly(
            0L, 1_000_000L, 1_250_000L, 1_500_000L, 1_750_000L, 2_000_000L, 2_700_000L);
  }
}
