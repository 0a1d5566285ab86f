package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tangosol.discovery.NSLookup;
import io.headgate.cluster.MemberProcess.Counts;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members that authenticate each other, and members that are refused. */
@Timeout(120)
class MemberKeysProcessesTest {
  private static final long LIMIT = MemberMain.LIMIT;
  private static final String SECRET = "a secret of enough length";

  @TempDir static Path folder;

  private final List<Integer> ports = FreePorts.find(4);
  private final String name = "keys" + ports.getFirst();

  /** The first founds the cluster alone. Those that are refused could found one as well. */
  private MemberProcess start(int index, String... keys) {
    var list = ports.stream().limit(1).collect(Collectors.toCollection(ArrayList::new));
    if (index > 0) list.add(ports.get(index));
    return MemberProcess.start(ports.get(index), list, name, keys);
  }

  private static void awaitTwo(MemberProcess one) {
    Eventually.holds(
        "two members",
        Duration.ofSeconds(60),
        () -> one.status().members() == 2 && one.status().unbacked() == 0);
  }

  private static void assertShared(MemberProcess one, MemberProcess other) {
    one.send("run strict shared " + LIMIT);
    other.send("run strict shared " + LIMIT);
    Counts first = one.readCounts();
    Counts second = other.readCounts();
    long fallback = first.fallback() + second.fallback();
    assertThat(first.errors() + second.errors()).isZero();
    assertThat(first.allowed() + second.allowed()).isBetween(LIMIT - fallback, LIMIT);
  }

  private void assertRefused(MemberProcess stranger) {
    assertThat(stranger.refusal())
        .startsWith("the member at 127.0.0.1:" + ports.getFirst() + " accepts connections")
        .contains("the same cluster secret or certificates of the same authority");
  }

  /** The grid tells the names of services, and the addresses of members, at the cluster port. */
  private void assertTellsStrangersNoNames() {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.getFirst());
    assertThatThrownBy(() -> NSLookup.lookup(NSLookup.CLUSTER_INFO, address, 5_000))
        .isInstanceOf(IOException.class);
  }

  @Test
  void membersWithOneSecretShareCountersAndOthersAreRefused() {
    try (var one = start(0, SECRET).awaitJoined();
        var other = start(1, SECRET).awaitJoined()) {
      awaitTwo(one);
      assertShared(one, other);
      assertTellsStrangersNoNames();
      try (var wrong = start(2, "another secret of length")) {
        assertRefused(wrong);
      }
      assertThat(one.status().members()).isEqualTo(2);
      assertThat(other.status().members()).isEqualTo(2);
    }
  }

  @Test
  void membersWithCertificatesOfOneAuthorityShareCountersAndOthersAreRefused() throws Exception {
    var authority = TestAuthority.create(folder.resolve("ours"));
    var foreign = TestAuthority.create(folder.resolve("foreign"));
    try (var one = start(0, authority.issue("one")).awaitJoined();
        var other = start(1, authority.issue("other")).awaitJoined()) {
      awaitTwo(one);
      assertShared(one, other);
      try (var wrong = start(2, foreign.issue("wrong"));
          var without = start(3)) {
        assertRefused(wrong);
        assertRefused(without);
      }
      assertThat(one.status().members()).isEqualTo(2);
    }
  }
}
