package io.headgate.server.callers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PeerInstancesTest {
  private static final Duration KEPT = Duration.ofSeconds(15);

  private final AtomicLong nanos = new AtomicLong(-5_000_000_000L);
  private final PeerInstances instances = new PeerInstances(KEPT, nanos::get);

  private void pass(int seconds) {
    nanos.addAndGet(seconds * 1_000_000_000L);
  }

  @Test
  void whoIsKnownStaysKnownAsLongAsItIsHeardOfAlsoWhenNoMoreCanBe() {
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i <= PeerInstances.MOST; i++) instances.heard("i" + i);
      pass(5);
      assertThat(instances.present())
          .hasSize(PeerInstances.MOST)
          .contains("i0", "i" + (PeerInstances.MOST - 1))
          .doesNotContain("i" + PeerInstances.MOST);
    }
  }

  @Test
  void whoIsHeardOfNoMoreMakesRoom() {
    for (int i = 0; i < PeerInstances.MOST; i++) instances.heard("old" + i);
    pass(16);
    instances.heard("new");
    assertThat(instances.present()).containsExactly("new");
  }
}
