package io.headgate.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is asked for is made with no more work than what comes of it. */
class TrafficTest {
  private static final long DAY = 86_400_000_000L;

  /** Of somebody who gives up after so many looks. */
  private static Deadline looks(int most) {
    var left = new AtomicInteger(most);
    return () -> left.decrementAndGet() < 0;
  }

  private static long[] made(Traffic traffic, long end, int looks) {
    var arrivals = new Arrivals(end, looks(looks));
    traffic.into(arrivals);
    return arrivals.sorted();
  }

  @Test
  void whatIsDrawnForAfterTheEndIsNotMade() {
    var day = new Traffic.Drawn(Collections.nCopies(86_400, 1_000_000L));
    assertThat(made(day, 1_000, 100)).hasSize(1_000).endsWith(999);
  }

  @Test
  void anEdgeThatIsAfterTheEndIsNotComeTo() {
    assertThat(made(new Traffic.Edges(1_000, 1_500), 1_000, 100)).hasSize(1_000).containsOnly(500);
  }

  @Test
  void nobodyComesADayLongInNoTime() {
    assertThat(made(new Traffic.Edges(0, 1), DAY, 1)).isEmpty();
    assertThat(made(new Traffic.Bursts(0, 1_000), DAY, 1)).isEmpty();
  }

  @Test
  void howLongSomebodyWaitsBoundsTheMakingToo() {
    var arrivals = new Arrivals(DAY, looks(10));
    assertThatThrownBy(() -> new Traffic.Steady(1_000).into(arrivals))
        .isInstanceOf(Deadline.Overdue.class);
    assertThat(arrivals.sorted()).hasSize(10 * Deadline.LOOK_EVERY);
  }

  @Test
  void patienceIsLookedAtOftenEnoughForRequestsThatAreEachDear() {
    var looked = new AtomicInteger();
    Deadline counting = () -> looked.incrementAndGet() < 0;
    for (int i = 0; i < 160; i++) counting.check(i);
    assertThat(looked).hasValue(10);
  }
}
