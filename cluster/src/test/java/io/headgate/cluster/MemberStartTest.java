package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.net.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MemberStartTest {
  private static final List<Integer> PORTS = FreePorts.find(2);
  private static final String NAME = "start" + PORTS.getFirst();

  @Test
  void portOfAnotherProgramIsRefused() throws IOException {
    try (var program = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var member =
            MemberProcess.start(program.getLocalPort(), PORTS.subList(0, 1), NAME + "taken")) {
      assertThat(member.refusal())
          .contains("can't listen at 127.0.0.1:" + program.getLocalPort())
          .contains("stop the program that has the port, or set another");
    }
  }

  /** The grid would look for members by multicast, and found a cluster of its own. */
  @Test
  void memberThatCanResolveNoneOfItsListNamesItAndDoesNotDecide() {
    try (var member = MemberProcess.start(PORTS.get(1), "nowhere.invalid:7574", NAME + "lost")) {
      member.awaitJoined();
      assertThat(member.call("problem"))
          .contains("sees 0 of 1 members", "missing: nowhere.invalid:7574");
      assertThat(member.counts("run strict key 10").allowed()).isZero();
    }
  }

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
