package io.headgate.server.stats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FallbackCounterTest {
  private final FallbackCounter counter = new FallbackCounter();

  @Test
  void decisionsOfOneOutageAreAddedUp() {
    assertThat(counter.add(100, false, 0, 0)).isEqualTo(FallbackStats.NONE);
    assertThat(counter.add(101, true, 5, 2)).isEqualTo(new FallbackStats(101_000, 5, 2));
    assertThat(counter.add(102, true, 0, 0)).isEqualTo(new FallbackStats(101_000, 5, 2));
    assertThat(counter.add(103, false, 1, 1)).isEqualTo(new FallbackStats(101_000, 6, 3));
  }

  @Test
  void singleTimeoutsOfAnAvailableStoreAreAnOutage() {
    assertThat(counter.add(100, false, 1, 1)).isEqualTo(new FallbackStats(100_000, 1, 1));
  }

  @Test
  void outageEndsAfterAQuietTime() {
    counter.add(100, true, 5, 2);
    long last = 100 + FallbackCounter.QUIET_SECONDS - 1;
    assertThat(counter.add(last, false, 0, 0).isOutage()).isTrue();
    assertThat(counter.add(last + 1, false, 0, 0).isOutage()).isFalse();
    assertThat(counter.add(200, true, 1, 0)).isEqualTo(new FallbackStats(200_000, 1, 0));
  }
}
