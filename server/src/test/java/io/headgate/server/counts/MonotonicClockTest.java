package io.headgate.server.counts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MonotonicClockTest {
  private static final long START = 1_789_300_800_250L;

  private final AtomicLong wall = new AtomicLong(START);
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 100); // may overflow
  private final MonotonicClock clock = new MonotonicClock(wall::get, nanos::get);

  private void advance(long millis) {
    wall.addAndGet(millis);
    nanos.addAndGet(millis * 1_000_000);
  }

  @Test
  void continuesWhenTheSystemClockIsSetBack() {
    advance(1_000);
    wall.addAndGet(-3_600_000);
    assertThat(clock.getAsLong()).isEqualTo(START + 1_000);
    advance(2_500);
    assertThat(clock.getAsLong()).isEqualTo(START + 3_500);
    wall.addAndGet(3_600_000);
    assertThat(clock.getAsLong()).isEqualTo(START + 3_500);
  }

  @Test
  void followsTheSystemClockForwardInWholeSeconds() {
    wall.addAndGet(61_700);
    assertThat(clock.getAsLong()).isEqualTo(START + 61_000);
    advance(300);
    assertThat(clock.getAsLong()).isEqualTo(START + 61_300);
    wall.addAndGet(200);
    assertThat(clock.getAsLong()).isEqualTo(START + 61_300);
    wall.addAndGet(100);
    assertThat(clock.getAsLong()).isEqualTo(START + 62_300);
  }
}
