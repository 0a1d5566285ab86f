package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One of three members while the others hang.
 *
 * <p>These members are not those of {@link ClusterProcessesTest}, which would have to wait until
 * all of them have returned.
 */
@Timeout(120)
class MinorityProcessesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<Integer> ports = FreePorts.find(3);
  private final List<MemberProcess> members = new ArrayList<>();

  @BeforeEach
  void start() {
    var name = "minority" + ports.getFirst();
    for (int port : ports) members.add(MemberProcess.start(port, ports, name));
    members.forEach(MemberProcess::awaitJoined);
    awaitAll();
  }

  @AfterEach
  void stop() {
    members.forEach(MemberProcess::close);
  }

  private void awaitAll() {
    Eventually.holds(
        "all members see each other",
        PATIENCE,
        () ->
            members.stream()
                .map(MemberProcess::status)
                .allMatch(status ->
                    status.members() == 3
                        && status.majority()
                        && status.available()
                        && status.unreachable() == 0
                        && status.unbacked() == 0));
  }

  @Test
  void minorityDeniesNamesTheOthersAndLaterNoticesTheNextFailure() {
    var alone = members.get(0);
    members.get(1).signal("STOP");
    members.get(2).signal("STOP");
    try {
      Eventually.holds(
          "the others are unreachable",
          PATIENCE,
          () -> alone.status().unreachable() == 2 && !alone.status().majority());
      assertThat(alone.status().members()).isEqualTo(1);
      var counts = alone.counts("run strict minority 20");
      assertThat(counts.allowed()).isZero();
      assertThat(counts.fallback()).isEqualTo(20);
    } finally {
      members.get(1).signal("CONT");
      members.get(2).signal("CONT");
    }
    awaitAll();
    Eventually.holds(
        "no member keeps a mark of the grid that hides its next failure",
        Duration.ofSeconds(20),
        () -> members.stream().allMatch(member -> member.call("marked").equals("0")));
    expelsAFurtherMemberThatHangs();
  }

  private void expelsAFurtherMemberThatHangs() {
    members.get(2).signal("STOP");
    try {
      Eventually.holds(
          "the others decide without it",
          Duration.ofSeconds(30),
          () ->
              members.subList(0, 2).stream()
                  .map(MemberProcess::status)
                  .allMatch(status -> status.members() == 2 && status.available()));
    } finally {
      members.get(2).signal("CONT");
    }
    awaitAll();
  }
}
