package io.headgate.store;

import static io.headgate.internal.outage.TestPlans.plan;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryStoreOptionsTest {

  @Test
  void rejectsLessThanOneKey() {
    assertThatThrownBy(() -> MemoryStore.create(Ticker.system(), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a store must keep at least 1 key, got 0; the default is 1000000");
  }

  /** Nanoseconds, for example, would overflow the word of a cell. */
  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, 1_800_000_000_000_000_000L, Long.MAX_VALUE})
  void rejectsClockWithoutMicrosecondsSince1970(long time) {
    try (var store = MemoryStore.create(() -> time, 10)) {
      var plan = plan(TokenBucket.of(Rate.perSecond(1)), "k");
      assertThatThrownBy(() -> store.decide(plan))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("the clock returned " + time);
    }
  }
}
