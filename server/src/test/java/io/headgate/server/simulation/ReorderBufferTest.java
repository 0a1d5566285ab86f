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

  private void note(Arrival arrival) {
    times.add(arrival.micros());
  }

  @Property(tries = 100)
  void whatIsNoFurtherOutOfOrderThanItLooksAheadComesInOrder(@ForAll long seed) {
    var random = new Random(seed);
    times.clear();
    var order = ReorderBuffer.within(this::note, 5 * SECOND, 1_000, false);
    var given = new ArrayList<Long>();
    for (int i = 0; i < 300; i++) given.add(i * SECOND + random.nextLong(4 * SECOND));
    for (var time : given) order.add(at(time, false));
    order.finish();
    assertThat(times).isEqualTo(given.stream().sorted().toList());
    assertThat(order.late()).isZero();
  }

  @Test
  void whatIsFurtherOutOfOrderIsCounted() {
    var order = ReorderBuffer.within(this::note, SECOND, 1_000, false);
    for (long second : new long[] {1, 5, 9, 2, 10}) order.add(at(second * SECOND, false));
    order.finish();
    assertThat(order.late()).isEqualTo(1);
    assertThat(times).hasSize(5);
  }

  @Test
  void whatIsLateCountsAsOfTheLatestAndPartsNoSecond() {
    var order = ReorderBuffer.within(this::note, SECOND, 1_000, true);
    for (long second : new long[] {10, 10, 12, 5, 10}) order.add(at(second * SECOND, true));
    order.finish();
    assertThat(times)
        .containsExactly(
            10 * SECOND, 10 * SECOND, 10 * SECOND + 333_333, 10 * SECOND + 666_666, 12 * SECOND);
    assertThat(order.late()).isEqualTo(1);
    assertThat(order.crowded()).isZero();
  }

  @Test
  void whatIsLateForWantOfRoomIsCountedApart() {
    var order = ReorderBuffer.within(this::note, 10 * SECOND, 2, false);
    for (long second : new long[] {3, 4, 5, 7}) order.add(at(second * SECOND, false));
    order.add(at(3_500_000, false));
    order.finish();
    assertThat(order.late()).isZero();
    assertThat(order.crowded()).isEqualTo(1);
    assertThat(times).containsExactly(3 * SECOND, 4 * SECOND, 4 * SECOND, 5 * SECOND, 7 * SECOND);
  }

  @Test
  void itHoldsNoMoreThanItMay() {
    var order = ReorderBuffer.within(this::note, Long.MAX_VALUE, 10, false);
    for (int i = 0; i < 25; i++) order.add(at(i, false));
    assertThat(times).hasSize(15);
  }

  @Test
  void whatIsKnownToTheSecondIsSpreadOverIt() {
    var order = ReorderBuffer.whole(this::note, true);
    for (int i = 0; i < 4; i++) order.add(at(SECOND, true));
    order.add(at(2 * SECOND, true));
    order.add(at(2_700_000, false));
    order.add(at(0, true));
    order.finish();
    assertThat(times)
        .containsExactly(
            0L, 1_000_000L, 1_250_000L, 1_500_000L, 1_750_000L, 2_000_000L, 2_700_000L);
  }
}
