package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.MemberNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three members whose links are cut. The rules deny while the cluster is unavailable, so that every
 * admission was charged.
 */
@Timeout(180)
class PartitionProcessesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long LIMIT = MemberMain.LIMIT;

  @TempDir private Path folder;

  private MemberNetwork network;
  private String join;
  private final MemberProcess[] members = new MemberProcess[3];

  @BeforeEach
  void connect() throws IOException {
    assumeTrue(
        MemberNetwork.isPermitted(),
        "a partition needs network namespaces, which need root and the command ip");
    network = new MemberNetwork(3);
    join =
        IntStream.range(0, 3)
            .mapToObj(i -> network.address(i) + ":7574")
            .collect(Collectors.joining(","));
  }

  @AfterEach
  void stop() {
    for (var member : members) {
      if (member != null) member.close();
    }
    if (network != null) network.close();
  }

  private void start(int index, boolean remembers) {
    var file = folder.resolve("member" + index);
    members[index] = MemberProcess.start(network, index, join, remembers ? file : null);
  }

  private void startAll() {
    for (int i = 0; i < 3; i++) start(i, true);
    for (var member : members) member.awaitJoined();
    awaitAll();
  }

  private void awaitAll() {
    Eventually.holds(
        "all members decide together",
        PATIENCE,
        () ->
            Arrays.stream(members)
                .map(MemberProcess::status)
                .allMatch(status ->
                    status.members() == 3
                        && status.expected() == 3
                        && status.majority()
                        && status.available()
                        && status.unbacked() == 0));
  }

  private long admitted(String key, int... of) {
    long sum = 0;
    for (int i : of) {
      var counts = members[i].counts("run strict %s %d".formatted(key, LIMIT));
      assertThat(counts.errors()).isZero();
      sum += counts.allowed();
    }
    return sum;
  }

  private void awaitMinority(int index) {
    Eventually.holds(
        "member %d does not decide".formatted(index),
        PATIENCE,
        () -> !members[index].status().majority());
  }

  private void awaitMajority() {
    Eventually.holds(
        "the others decide without it",
        PATIENCE,
        () ->
            List.of(members[0], members[1]).stream()
                .map(MemberProcess::status)
                .allMatch(status ->
                    status.members() == 2 && status.majority() && status.unbacked() == 0));
  }

  /** A member that was expelled and joins again used to found a cluster of its own. */
  @Test
  void memberThatIsCutOffAgainAfterItsExpulsionDoesNotDecide() throws IOException {
    startAll();
    assertThat(members[2].counts("run strict again 600").allowed()).isEqualTo(600);
    network.separate(2, true);
    awaitMajority();
    network.separate(2, false);
    Eventually.holds(
        "the member hears that it was expelled",
        PATIENCE,
        () -> members[2].call("expelled").equals("true"));
    network.separate(2, true);
    awaitMinority(2);
    assertThat(admitted("again", 2)).isZero();
    assertThat(admitted("again", 0, 1)).isEqualTo(LIMIT - 600);
    network.separate(2, false);
    awaitAll();
    assertThat(admitted("again", 0, 1, 2)).isZero();
  }

  /** What was sent to a service that has ended was never answered, and its place never free. */
  @Test
  void memberWithAFlappingLinkDecidesAgainSoonAfterTheLast() throws Exception {
    startAll();
    for (var member : members) member.call("start large flapping 4");
    for (int i = 0; i < 5; i++) {
      network.separate(2, true);
      // The time that the link is down is what this test is about, not a wait for a condition.
      TimeUnit.MILLISECONDS.sleep(2_500);
      network.separate(2, false);
      TimeUnit.MILLISECONDS.sleep(500);
    }
    awaitAll();
    long sum = 0;
    for (var member : members) {
      var counts = member.counts("stop");
      assertThat(counts.errors()).isZero();
      sum += counts.allowed();
    }
    assertThat(sum).isLessThanOrEqualTo(MemberMain.LARGE_LIMIT);
    Eventually.holds(
        "no member decides by policy",
        Duration.ofSeconds(30),
        () ->
            Arrays.stream(members)
                .allMatch(member -> member.counts("run strict after 20").fallback() == 0));
  }

  @Test
  void memberThatIsRestartedWhileItIsCutOffDoesNotDecide() throws IOException {
    startAll();
    assertThat(members[2].counts("run strict restarted 600").allowed()).isEqualTo(600);
    Eventually.holds(
        "the member remembers the others", PATIENCE, () -> Files.exists(folder.resolve("member2")));
    network.separate(2, true);
    members[2].close();
    awaitMajority();
    // Its own address alone: it knows the others from its file.
    var list = join;
    join = network.address(2) + ":7574";
    start(2, true);
    members[2].awaitJoined();
    assertThat(admitted("restarted", 2)).isZero();
    assertThat(members[2].status().expected()).isEqualTo(3);
    assertThat(admitted("restarted", 0, 1)).isEqualTo(LIMIT - 600);
    members[2].close();
    join = list;
    network.separate(2, false);
    start(2, true);
    members[2].awaitJoined();
    awaitAll();
    assertThat(admitted("restarted", 0, 1, 2)).isZero();
  }

  /** The one that is left may not expel the others, and must let them in nevertheless. */
  @Test
  void twoOfThreeThatAreKilledAndStartedAgainDecideWithTheThird() throws IOException {
    startAll();
    members[0].close();
    members[1].close();
    awaitMinority(2);
    assertThat(admitted("killed", 2)).isZero();
    start(0, true);
    start(1, true);
    members[0].awaitJoined();
    members[1].awaitJoined();
    awaitAll();
    assertThat(admitted("killed", 0, 1, 2)).isEqualTo(LIMIT);
  }

  @Test
  void membersThatReachNoneOfTheirListDecideNothingUntilTheyDo() throws IOException {
    var cut = new ArrayList<Integer>(List.of(0, 1, 2));
    for (int i : cut) network.separate(i, true);
    for (int i : cut) start(i, false);
    for (var member : members) member.awaitJoined();
    assertThat(admitted("unreachable", 0, 1, 2)).isZero();
    for (int i : cut) network.separate(i, false);
    awaitAll();
    assertThat(admitted("unreachable", 0, 1, 2)).isEqualTo(LIMIT);
  }
}
