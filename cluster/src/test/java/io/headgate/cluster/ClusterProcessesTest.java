package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.cluster.MemberProcess.Counts;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Members in processes of their own, shared by all tests. Each test leaves three members behind.
 *
 * <p>The rules deny while the cluster is unavailable, so that every admission was charged.
 */
@Timeout(120)
class ClusterProcessesTest {
  private static final long LIMIT = MemberMain.LIMIT;
  private static final long LARGE = MemberMain.LARGE_LIMIT;
  private static final List<Integer> PORTS = FreePorts.find(4);
  private static final List<Integer> FOUNDERS = PORTS.subList(0, 3);
  private static final String NAME = "processes" + PORTS.getFirst();
  private static final List<MemberProcess> MEMBERS = new ArrayList<>();

  @BeforeAll
  static void start() {
    for (int i = 0; i < 3; i++) MEMBERS.add(start(i));
    MEMBERS.forEach(MemberProcess::awaitJoined);
    awaitMembers(3);
  }

  @AfterAll
  static void stop() {
    MEMBERS.forEach(MemberProcess::close);
  }

  private static MemberProcess start(int index) {
    return MemberProcess.start(PORTS.get(index), FOUNDERS, NAME);
  }

  /** Waits until all members see each other, and each partition has an owner and a copy. */
  private static void awaitMembers(int count) {
    Eventually.holds(
        count + " members",
        Duration.ofSeconds(60),
        () ->
            MEMBERS.stream()
                .map(MemberProcess::status)
                .allMatch(status ->
                    status.members() == count
                        && status.available()
                        && status.unowned() == 0
                        && status.unbacked() == 0));
  }

  private static Counts sum(List<Counts> all) {
    return new Counts(
        all.stream().mapToLong(Counts::allowed).sum(),
        all.stream().mapToLong(Counts::denied).sum(),
        all.stream().mapToLong(Counts::fallback).sum(),
        all.stream().mapToLong(Counts::errors).sum(),
        all.stream().mapToLong(Counts::worstMillis).max().orElse(0));
  }

  private static Counts runOnAll(String rule, String key, long each) {
    for (var member : MEMBERS) member.send("run %s %s %d".formatted(rule, key, each));
    return sum(MEMBERS.stream().map(MemberProcess::readCounts).toList());
  }

  @Test
  void membersShareACounterExactly() {
    var counts = runOnAll("strict", "exact", LIMIT / 2);
    assertThat(counts.allowed()).isEqualTo(LIMIT);
    assertThat(counts.fallback() + counts.errors()).isZero();
    assertThat(counts.denied()).isEqualTo(LIMIT / 2);
  }

  /** Two counters of the plan have other owners than the third. */
  @Test
  void plansThatSpanOwnersNeverExceedALimit() {
    var counts = runOnAll("spanning", "span", LIMIT / 2);
    assertThat(counts.errors()).isZero();
    assertThat(counts.allowed()).isBetween(LIMIT * 9 / 10, LIMIT);
    assertThat(counts.fallback()).isZero();
  }

  @Test
  void leasedPermitsNeverExceedTheLimit() {
    var counts = runOnAll("leased", "leased", LIMIT);
    assertThat(counts.errors()).isZero();
    assertThat(counts.allowed()).isBetween(LIMIT / 2, LIMIT);
  }

  @Test
  void resetReachesAllMembers() {
    assertResetReaches(MEMBERS.get(1), "reset");
  }

  private static void assertResetReaches(MemberProcess member, String key) {
    runOnAll("strict", key, LIMIT / 2);
    assertThat(member.counts("run strict " + key + " 10").allowed()).isZero();
    assertThat(MEMBERS.get(0).call("reset strict " + key)).isEqualTo("reset");
    Eventually.holds(
        "the reset counter admits again",
        Duration.ofSeconds(5),
        () -> member.counts("run strict " + key + " 10").allowed() == 10);
  }

  @Test
  void killedMemberLosesNoCharge() {
    var before = MEMBERS.get(0).counts("run large killed " + LARGE / 4);
    assertThat(before.allowed()).isEqualTo(LARGE / 4);
    MEMBERS.get(0).call("start large killed 4");
    MEMBERS.get(1).call("start large killed 4");
    var killed = MEMBERS.removeLast();
    killed.signal("KILL");
    awaitMembers(2);
    var during = sum(List.of(MEMBERS.get(0).counts("stop"), MEMBERS.get(1).counts("stop")));
    var after = runOnAll("large", "killed", LARGE / 2);
    assertThat(during.errors() + after.errors()).isZero();
    assertThat(after.fallback()).isZero();
    // A request whose reply was lost with the member may have been charged.
    assertThat(before.allowed() + during.allowed() + after.allowed())
        .isBetween(LARGE - during.fallback(), LARGE);
    MEMBERS.add(start(2).awaitJoined());
    awaitMembers(3);
  }

  /** The member that made the reservations owned some of their counters, records and list. */
  @Test
  void reservationsOutliveAKilledMember() {
    var killed = MEMBERS.removeLast();
    MEMBERS.get(0).call("reserve strict own 1 600");
    var held = new ArrayList<String>();
    for (int i = 0; i < 10; i++) {
      held.add(killed.call("reserve spanning held%d 100 600".formatted(i)));
      var expiring = killed.call("reserve strict expiring%d 100 3".formatted(i));
      assertThat(killed.call("report %s 30".formatted(expiring))).isEqualTo("Open");
    }
    Eventually.holds(
        "the reservations are listed",
        Duration.ofSeconds(20),
        () -> Long.parseLong(MEMBERS.get(0).call("open")) >= 21);
    killed.signal("KILL");
    awaitMembers(2);
    assertThat(MEMBERS.get(0).status().unreachable()).isEqualTo(1);
    for (int i = 0; i < 10; i++) {
      var id = held.get(i);
      assertThat(MEMBERS.get(0).call("settle %s 30".formatted(id))).isEqualTo("30 30");
      assertThat(MEMBERS.get(1).call("settle %s 30".formatted(id))).isEqualTo("30 30");
      var left = Long.toString(LIMIT - 30);
      assertThat(MEMBERS.get(1).call("left spanning held" + i)).isEqualTo(left + " " + left);
    }
    for (int i = 0; i < 10; i++) {
      var key = "expiring" + i;
      Eventually.holds(
          key + " expires, and costs what was used",
          Duration.ofSeconds(30),
          () -> MEMBERS.get(0).call("left strict " + key).equals(Long.toString(LIMIT - 30)));
    }
    MEMBERS.add(start(2).awaitJoined());
    awaitMembers(3);
  }

  @Test
  void stoppedMemberIsExpelledAndJoinsAgain() {
    MEMBERS.get(0).call("start large stopped 4");
    var stopped = MEMBERS.get(2);
    stopped.signal("STOP");
    Eventually.holds(
        "the others decide without it",
        Duration.ofSeconds(30),
        () -> MEMBERS.get(0).status().members() == 2 && MEMBERS.get(0).status().available());
    stopped.signal("CONT");
    awaitMembers(3);
    var during = MEMBERS.get(0).counts("stop");
    var after = runOnAll("large", "stopped", LARGE / 2);
    assertThat(during.errors() + after.errors()).isZero();
    assertThat(during.allowed() + after.allowed()).isBetween(LARGE - during.fallback(), LARGE);
    try (var other = start(3).awaitJoined()) {
      awaitMembers(4);
      other.call("leave");
    }
    Eventually.holds(
        "the member that joined again is told that another one leaves",
        Duration.ofSeconds(30),
        () -> stopped.status().expected() == 3 && stopped.status().unreachable() == 0);
  }

  @Test
  void memberJoinsAndLeavesUnderLoad() {
    MEMBERS.get(0).call("start large moved 2");
    var joining = start(3).awaitJoined();
    MEMBERS.add(joining);
    awaitMembers(4);
    assertThat(joining.call("leave")).isEqualTo("left");
    MEMBERS.remove(joining);
    joining.close();
    awaitMembers(3);
    var during = MEMBERS.get(0).counts("stop");
    var after = runOnAll("large", "moved", LARGE / 2);
    assertThat(during.errors() + after.errors()).isZero();
    assertThat(during.allowed() + after.allowed()).isBetween(LARGE - during.fallback(), LARGE);
    assertThat(MEMBERS.getFirst().status().expected()).isEqualTo(3);
    assertThat(MEMBERS.getFirst().status().unreachable()).isZero();
  }

  @Test
  void memberOfAnotherWireVersionIsRefusedBeforeItOwnsAnything() {
    try (var other = MemberProcess.start(PORTS.get(3), FOUNDERS, NAME, "wire", "4")) {
      assertThat(other.refusal())
          .contains("has the wire format headgate-wire-3, and this one headgate-wire-4")
          .contains("stop all members of the other version first");
    }
    awaitMembers(3);
    assertThat(MEMBERS.getFirst().counts("run strict version 100").allowed()).isEqualTo(100);
  }
}
