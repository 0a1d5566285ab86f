package io.headgate.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that generating traffic takes no more work than the result requires. */
class TrafficTest {
  private static final long DAY = 86_400_000_000L;

  /** Returns a deadline that passes after a number of tests. */
  private static Deadline passesAfter(int tests) {
    var left = new AtomicInteger(tests);
    return () -> left.decrementAndGet() < 0;
  }

  private static long[] generate(Traffic traffic, long end, int tests) {
    var arrivals = new Arrivals(end, passesAfter(tests));
    traffic.into(arrivals);
    return arrivals.sorted();
  }

  @Test
  void drawnTrafficAfterTheEndIsNotGenerated() {
    var day = new Traffic.Drawn(Collections.nCopies(86_400, 1_000_000L));
    assertThat(generate(day, 1_000, 100)).hasSize(1_000).endsWith(999);
  }

  @Test
  void boundaryAfterTheEndIsNotGenerated() {
    assertThat(generate(new Traffic.Edges(1_000, 1_500), 1_000, 100))
        .hasSize(1_000)
        .containsOnly(500);
  }

  @Test
  void emptyTrafficIsGeneratedWithoutWork() {
    assertThat(generate(new Traffic.Edges(0, 1), DAY, 1)).isEmpty();
    assertThat(generate(new Traffic.Bursts(0, 1_000), DAY, 1)).isEmpty();
  }

  @Test
  void deadlineBoundsTheGeneration() {
    var arrivals = new Arrivals(DAY, passesAfter(10));
    assertThatThrownBy(() -> new Traffic.Steady(1_000).into(arrivals))
        .isInstanceOf(Deadline.Overdue.class);
    assertThat(arrivals.sorted()).hasSize(10 * Deadline.CHECK_INTERVAL);
  }

  @Test
  void deadlineIsTestedEverySixteenRequests() {
    var tested = new AtomicInteger();
    Deadline counting = () -> tested.incrementAndGet() < 0;
    for (int i = 0; i < 160; i++) counting.check(i);
    assertThat(tested).hasValue(10);
  }
}
