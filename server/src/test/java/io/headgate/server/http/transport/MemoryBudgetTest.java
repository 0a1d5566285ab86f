package io.headgate.server.http.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
  private static final long MB = 1 << 20;

  @Test
  void anEventLoopHasItsReserveWhateverOthersHold() {
    var budget = new MemoryBudget(32 * MB);
    var first = budget.share(2);
    var second = budget.share(2);
    assertThat(first.take(24 * MB)).as("its reserve and the pool").isTrue();
    assertThat(first.take(1)).isFalse();
    assertThat(second.take(8 * MB)).as("its reserve").isTrue();
    assertThat(second.take(1)).isFalse();
  }

  @Test
  void whatIsGivenBackCanBeTakenByOthers() {
    var budget = new MemoryBudget(32 * MB);
    var first = budget.share(2);
    var second = budget.share(2);
    assertThat(first.take(24 * MB)).isTrue();
    first.giveBack(24 * MB);
    assertThat(budget.pooled()).isZero();
    assertThat(second.take(24 * MB)).isTrue();
  }

  @Test
  void manySmallOnesComeBackToTheLastByte() {
    var budget = new MemoryBudget(32 * MB);
    var share = budget.share(2);
    int taken = 0;
    while (share.take(1_000)) taken++;
    assertThat(taken).isEqualTo((int) (24 * MB / 1_000));
    for (int i = 0; i < taken; i++) share.giveBack(1_000);
    assertThat(budget.pooled()).isZero();
    assertThat(share.take(24 * MB)).isTrue();
  }
}
