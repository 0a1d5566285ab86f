package io.headgate.server.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StoreLatencyTest {
  private final AtomicLong clock = new AtomicLong(1_789_300_800_000L);
  private final StoreLatency times = new StoreLatency(clock::get);

  @Test
  void whatIsOlderThanAMinuteCountsNoMore() {
    times.took(9_000_000);
    clock.addAndGet(30_000);
    times.took(1_000_000);
    assertThat(times.lastMinute().max()).hasValue(9_000_000);
    clock.addAndGet(30_000);
    assertThat(times.lastMinute().max()).hasValue(1_000_000);
    clock.addAndGet(30_000);
    assertThat(times.lastMinute().max()).isEmpty();
  }
}
