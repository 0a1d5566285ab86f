package io.headgate.server.http.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
  private static final long MB = 1 << 20;

  @Test
  void shareOfAnEventLoopIsReserved() {
    var budget = new MemoryBudget(32 * MB);
    var first = budget.share(2);
    var second = budget.share(2);
    assertThat(first.reserve(24 * MB)).as("its reserve and the pool").isTrue();
    assertThat(first.reserve(1)).isFalse();
    assertThat(second.reserve(8 * MB)).as("its reserve").isTrue();
    assertThat(second.reserve(1)).isFalse();
  }

  @Test
  void releasedMemoryIsAvailableToOthers() {
    var budget = new MemoryBudget(32 * MB);
    var first = budget.share(2);
    var second = budget.share(2);
    assertThat(first.reserve(24 * MB)).isTrue();
    first.release(24 * MB);
    assertThat(budget.pooled()).isZero();
    assertThat(second.reserve(24 * MB)).isTrue();
  }

  @Test
  void smallReservationsAreReleasedCompletely() {
    var budget = new MemoryBudget(32 * MB);
    var share = budget.share(2);
    int taken = 0;
    while (share.reserve(1_000)) taken++;
    assertThat(taken).isEqualTo((int) (24 * MB / 1_000));
    for (int i = 0; i < taken; i++) share.release(1_000);
    assertThat(budget.pooled()).isZero();
    assertThat(share.reserve(24 * MB)).isTrue();
  }
}
