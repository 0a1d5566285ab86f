package io.headgate.server.callers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PeerInstancesTest {
  private static final Duration TIME_TO_LIVE = Duration.ofSeconds(15);

  private final AtomicLong nanos = new AtomicLong(-5_000_000_000L);
  private final PeerInstances instances = new PeerInstances(TIME_TO_LIVE, nanos::get);

  private void advance(int seconds) {
    nanos.addAndGet(seconds * 1_000_000_000L);
  }

  @Test
  void knownInstancesStayWhenTheTableIsFull() {
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i <= PeerInstances.MAX_INSTANCES; i++) instances.seen("i" + i);
      advance(5);
      assertThat(instances.present())
          .hasSize(PeerInstances.MAX_INSTANCES)
          .contains("i0", "i" + (PeerInstances.MAX_INSTANCES - 1))
          .doesNotContain("i" + PeerInstances.MAX_INSTANCES);
    }
  }

  @Test
  void silentInstancesExpire() {
    for (int i = 0; i < PeerInstances.MAX_INSTANCES; i++) instances.seen("old" + i);
    advance(16);
    instances.seen("new");
    assertThat(instances.present()).containsExactly("new");
  }
}
