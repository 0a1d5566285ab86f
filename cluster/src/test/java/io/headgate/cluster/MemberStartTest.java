package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.net.FreePorts;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MemberStartTest {
  private static final List<Integer> PORTS = FreePorts.find(2);
  private static final String NAME = "start" + PORTS.getFirst();

  /**
   * If two members start at the same moment, the second asks the first for the id of a cache that
   * the first has not created yet.
   */
  @Test
  void memberJoinsAnotherThatHasNotCreatedTheCountersYet() {
    try (var first = MemberProcess.start(PORTS.get(0), PORTS.subList(0, 1), NAME).awaitJoined()) {
      assertThat(first.call("drop")).isEqualTo("dropped");
      try (var second =
          MemberProcess.start(PORTS.get(1), PORTS.subList(0, 1), NAME).awaitJoined()) {
        var counts = second.counts("run strict key 100");
        assertThat(counts.allowed()).isEqualTo(100);
        assertThat(counts.fallback() + counts.errors()).isZero();
      }
    }
  }
}
