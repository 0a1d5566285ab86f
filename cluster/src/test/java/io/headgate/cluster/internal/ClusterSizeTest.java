package io.headgate.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClusterSizeTest {
  private long now = 1_000;
  private final ClusterSize size = new ClusterSize(now);

  private void present(int members) {
    size.present(members, now);
  }

  @Test
  void firstMemberDecidesAlone() {
    assertThat(size.isMajority()).isTrue();
  }

  /** Two members can't tell a partition from the loss of the other. */
  @Test
  void oneOfTwoMembersGoesOn() {
    present(2);
    present(1);
    assertThat(size.isMajority()).isTrue();
  }

  @Test
  void minorityOfThreeOrMoreDoesNotDecide() {
    for (int members = 3; members < 10; members++) {
      present(members);
      for (int left = members; left > 0; left--) {
        assertThat(size.isMajority(left))
            .as("%d of %d", left, members)
            .isEqualTo(2 * left > members);
      }
    }
  }

  @Test
  void memberThatLeavesInOrderNoLongerCounts() {
    present(3);
    size.leaving(1, now);
    size.left(1);
    present(2);
    size.leaving(2, now);
    size.left(2);
    present(1);
    assertThat(size.size()).isEqualTo(1);
    assertThat(size.isMajority()).isTrue();
  }

  /** It stays present while it hands its counters over. */
  @Test
  void memberThatIsLeavingDoesNotCountWhileItIsStillPresent() {
    present(2);
    size.leaving(1, now);
    present(2);
    size.left(1);
    present(1);
    present(1);
    assertThat(size.size()).isEqualTo(1);
    present(2);
    assertThat(size.size()).as("a member joins").isEqualTo(2);
  }

  @Test
  void memberThatAnnouncesToLeaveAndStaysCountsAgain() {
    present(3);
    size.leaving(1, now);
    present(3);
    assertThat(size.size()).isEqualTo(2);
    now += ClusterSize.LEAVE_NANOS;
    present(3);
    assertThat(size.size()).isEqualTo(3);
  }

  /** A restart may be faster than the members are counted. */
  @Test
  void memberThatJoinsAsAnotherLeavesCountsAtOnce() {
    present(3);
    size.leaving(1, now);
    size.left(1);
    present(3);
    assertThat(size.size()).isEqualTo(3);
    assertThat(size.isMajority(1)).isFalse();
  }

  /** The lost one is not the one that announced to leave. */
  @Test
  void memberThatIsLostWhileAnotherLeavesStillCounts() {
    present(5);
    size.leaving(1, now);
    present(4);
    assertThat(size.size()).isEqualTo(4);
    size.left(1);
    present(3);
    assertThat(size.size()).isEqualTo(4);
  }

  @Test
  void repeatedAnnouncementCountsOnce() {
    present(3);
    size.leaving(1, now);
    size.leaving(1, now);
    assertThat(size.size()).isEqualTo(2);
  }

  @Test
  void lostMemberCountsForAMinuteAndThenNoLonger() {
    present(5);
    present(3);
    assertThat(size.size()).isEqualTo(5);
    now += ClusterSize.SHRINK_DELAY_NANOS - 1;
    present(3);
    assertThat(size.size()).isEqualTo(5);
    now += 1;
    present(3);
    assertThat(size.size()).isEqualTo(3);
    assertThat(size.isMajority(2)).isTrue();
  }

  @Test
  void minorityNeverBecomesAMajorityByWaiting() {
    present(5);
    present(2);
    now += 100 * ClusterSize.SHRINK_DELAY_NANOS;
    present(2);
    assertThat(size.size()).isEqualTo(5);
    assertThat(size.isMajority()).isFalse();
  }
}
