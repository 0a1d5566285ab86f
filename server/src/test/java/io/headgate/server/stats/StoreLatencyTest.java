package io.headgate.server.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StoreLatencyTest {
  private final AtomicLong clock = new AtomicLong(1_789_300_800_000L);
  private final StoreLatency latency = new StoreLatency(clock::get);

  @Test
  void callsOlderThanAMinuteAreDropped() {
    latency.record(9_000_000);
    clock.addAndGet(30_000);
    latency.record(1_000_000);
    assertThat(latency.lastMinute().max()).hasValue(9_000_000);
    clock.addAndGet(30_000);
    assertThat(latency.lastMinute().max()).hasValue(1_000_000);
    clock.addAndGet(30_000);
    assertThat(latency.lastMinute().max()).isEmpty();
  }
}
