package io.headgate.cluster.internal.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemberQuorumTest {
  private static final long SECOND = 1_000_000_000;

  /** Members whose statements arrive at once, in the parts into which the network has fallen. */
  private static final class Fleet {
    final List<Optional<MemberQuorum>> members = new ArrayList<>();
    final List<Agreement> memories = new ArrayList<>();
    int[] part;
    long now;

    Fleet(int size, Voters founders) {
      this.part = new int[size];
      for (int i = 0; i < size; i++) {
        members.add(Optional.empty());
        memories.add(Agreement.of(founders));
        part[i] = 0;
      }
    }

    static String id(int member) {
      return "m" + member;
    }

    MemberQuorum get(int member) {
      return members.get(member).orElseThrow();
    }

    void start(int... all) {
      for (int i : all) {
        members.set(i, Optional.of(new MemberQuorum(id(i), memories.get(i))));
      }
    }

    void crash(int member) {
      if (members.get(member).isEmpty()) return;
      memories.set(member, get(member).statement().knows());
      members.set(member, Optional.empty());
    }

    void cut(int... parts) {
      part = parts.clone();
    }

    Set<Integer> near(int member) {
      var near = new HashSet<Integer>();
      for (int i = 0; i < part.length; i++) {
        if (i != member && members.get(i).isPresent() && part[i] == part[member]) near.add(i);
      }
      return near;
    }

    /** Lets a second pass: members say what they know, and take a step. */
    void second() {
      now += SECOND;
      for (int i = 0; i < part.length; i++) {
        if (members.get(i).isEmpty()) continue;
        var near = near(i);
        get(i).present(near);
        get(i).step(near.stream().allMatch(firstOf(i)), now);
        for (int other : near) get(other).hear(i, get(i).statement(), now);
      }
    }

    private static java.util.function.Predicate<Integer> firstOf(int member) {
      return other -> member < other;
    }

    void seconds(int count) {
      for (int i = 0; i < count; i++) second();
    }

    Set<Integer> deciding() {
      var deciding = new TreeSet<Integer>();
      for (int i = 0; i < part.length; i++) {
        if (members.get(i).isPresent() && get(i).mayDecide(near(i), now)) deciding.add(i);
      }
      return deciding;
    }
  }

  private static Voters listed(int members) {
    var ids = new HashSet<String>();
    for (int i = 0; i < members; i++) ids.add(Fleet.id(i));
    return Voters.listed(ids);
  }

  @Test
  void memberThatJoinsNobodyDecidesAlone() {
    var fleet = new Fleet(1, listed(1));
    fleet.start(0);
    assertThat(fleet.deciding()).containsExactly(0);
    fleet.seconds(3);
    assertThat(fleet.deciding()).containsExactly(0);
  }

  @Test
  void oneOfAListOfThreeWaitsForAnother() {
    var fleet = new Fleet(3, listed(3));
    fleet.start(0);
    fleet.seconds(100);
    assertThat(fleet.deciding()).isEmpty();
    assertThat(fleet.get(0).missing(fleet.now)).containsExactly("m1", "m2");
    fleet.start(2);
    fleet.seconds(3);
    assertThat(fleet.deciding()).containsExactly(0, 2);
  }

  @Test
  void aSizeWithoutAddressesIsFoundedByAMajorityOfIt() {
    var fleet = new Fleet(4, Voters.any(4));
    fleet.start(0, 1);
    fleet.seconds(5);
    assertThat(fleet.deciding()).isEmpty();
    fleet.start(2);
    fleet.seconds(5);
    assertThat(fleet.deciding()).containsExactly(0, 1, 2);
    fleet.start(3);
    fleet.seconds(5);
    assertThat(fleet.get(3).size()).isEqualTo(4);
  }

  @Test
  void ofTwoMembersTheFirstGoesOnAndTheOtherDoesNot() {
    var fleet = new Fleet(2, listed(2));
    fleet.start(0, 1);
    fleet.seconds(3);
    assertThat(fleet.deciding()).containsExactly(0, 1);
    fleet.cut(0, 1);
    fleet.seconds(10);
    assertThat(fleet.deciding()).containsExactly(0);
  }

  /** The defect: a member that was expelled and started again took itself for the only one. */
  @Test
  void memberThatIsCutOffRestartedAndCutOffAgainNeverDecidesAlone() {
    var fleet = new Fleet(3, listed(1));
    fleet.start(0, 1, 2);
    fleet.seconds(5);
    assertThat(fleet.get(0).size()).isEqualTo(3);
    for (int lone = 0; lone < 3; lone++) {
      for (int i = 0; i < 2; i++) {
        fleet.cut(lone == 0 ? 1 : 0, lone == 1 ? 1 : 0, lone == 2 ? 1 : 0);
        fleet.seconds(100);
        assertThat(fleet.deciding()).hasSize(2).doesNotContain(lone);
        fleet.crash(lone);
        fleet.start(lone);
        fleet.seconds(100);
        assertThat(fleet.deciding()).hasSize(2).doesNotContain(lone);
        fleet.cut(0, 0, 0);
        fleet.seconds(2);
        assertThat(fleet.deciding()).hasSize(3);
      }
    }
  }

  @Test
  void lossesNeverShrinkTheSizeAndOrderlyLeavesDo() {
    var fleet = new Fleet(5, listed(5));
    fleet.start(0, 1, 2, 3, 4);
    fleet.seconds(5);
    fleet.crash(4);
    fleet.crash(3);
    fleet.seconds(1_000);
    assertThat(fleet.get(0).size()).isEqualTo(5);
    fleet.start(3, 4);
    fleet.seconds(5);
    for (int i = 4; i > 0; i--) {
      fleet.get(i).leave();
      fleet.seconds(3);
      assertThat(fleet.get(i).isVoter()).isFalse();
      fleet.crash(i);
      fleet.seconds(3);
      assertThat(fleet.get(0).size()).isEqualTo(i);
    }
    assertThat(fleet.deciding()).containsExactly(0);
  }

  @Test
  void memberThatJoinsTakesThePlaceOfALostOneAfterAMinute() {
    var fleet = new Fleet(4, listed(3));
    fleet.start(0, 1, 2);
    fleet.seconds(5);
    fleet.crash(2);
    fleet.start(3);
    fleet.seconds(30);
    assertThat(fleet.get(0).size()).isEqualTo(3);
    assertThat(fleet.get(3).isVoter()).isFalse();
    fleet.seconds(40);
    assertThat(fleet.get(0).size()).isEqualTo(3);
    assertThat(fleet.get(3).isVoter()).isTrue();
    fleet.crash(0);
    fleet.seconds(5);
    assertThat(fleet.deciding()).containsExactly(1, 3);
  }

  /** Statements arrive at once here; the model has them late and lost. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void inRandomHistoriesNoTwoPartsDecide(long seed) {
    var random = new Random(seed);
    var fleet = new Fleet(5, listed(1 + random.nextInt(5)));
    for (int step = 0; step < 2_000; step++) {
      int member = random.nextInt(5);
      switch (random.nextInt(6)) {
        case 0 -> fleet.cut(random.ints(5, 0, 2).toArray());
        case 1 -> fleet.cut(0, 0, 0, 0, 0);
        case 2 -> fleet.crash(member);
        case 3 -> {
          if (fleet.members.get(member).isEmpty()) fleet.start(member);
        }
        case 4 -> fleet.members.get(member).ifPresent(MemberQuorum::leave);
        default -> fleet.seconds(1 + random.nextInt(70));
      }
      fleet.second();
      var parts = new HashSet<Integer>();
      for (int each : fleet.deciding()) parts.add(fleet.part[each]);
      assertThat(parts).as("step %d", step).hasSizeLessThan(2);
    }
  }
}
