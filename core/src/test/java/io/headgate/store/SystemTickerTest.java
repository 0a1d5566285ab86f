package io.headgate.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SystemTickerTest {
  private static final long NOON = 1_800_000_000_000_000L;

  private final AtomicLong wallMicros = new AtomicLong(NOON);
  private final AtomicLong monotonicNanos = new AtomicLong(-5_000_000_000L); // may be negative
  private final AtomicInteger wallReads = new AtomicInteger();
  private final SystemTicker ticker =
      new SystemTicker(this::readWall) {
        @Override
        long monotonicNanos() {
          return monotonicNanos.get();
        }
      };

  private long readWall() {
    wallReads.incrementAndGet();
    return wallMicros.get();
  }

  private void readForAMinute() {
    for (int second = 0; second < 60; second++) {
      advanceBoth(Duration.ofSeconds(1));
      ticker.micros();
    }
  }

  @Test
  void followsTheWallClock() {
    assertThat(ticker.micros()).isEqualTo(NOON);
    advanceBoth(Duration.ofHours(1));
    assertThat(ticker.micros()).isEqualTo(NOON + 3_600_000_000L);
  }

  @Test
  void ignoresABackwardStepOfTheWallClock() {
    wallMicros.addAndGet(-3_600_000_000L);
    for (int second = 1; second <= 10; second++) {
      advanceBoth(Duration.ofSeconds(1));
      assertThat(ticker.micros()).isEqualTo(NOON + second * 1_000_000L);
    }
  }

  @Test
  void followsAForwardStepWithinOneSecond() {
    readForAMinute();
    wallMicros.addAndGet(3_600_000_000L);
    advanceBoth(Duration.ofMillis(999));
    assertThat(ticker.micros()).isEqualTo(NOON + 60_999_000L);
    advanceBoth(Duration.ofMillis(1));
    assertThat(ticker.micros()).isEqualTo(NOON + 3_661_000_000L);
    assertThat(ticker.micros()).isEqualTo(wallMicros.get());
  }

  /** The code of the comparison is then compiled together with that of the first decisions. */
  @Test
  void comparesTheClocksSoonAtFirstAndThenOnceASecond() {
    int before = wallReads.get();
    for (int i = 0; i < 100; i++) {
      advanceBoth(Duration.ofNanos(100_000));
      ticker.micros();
    }
    assertThat(wallReads.get() - before).isBetween(5, 10); // in the first 10 ms
    readForAMinute();
    before = wallReads.get();
    readForAMinute();
    assertThat(wallReads.get() - before).isEqualTo(60);
  }

  @Test
  void ignoresDriftOfAFewMilliseconds() {
    wallMicros.addAndGet(10_000);
    advanceBoth(Duration.ofSeconds(1));
    assertThat(ticker.micros()).isEqualTo(NOON + 1_000_000L);
  }

  @Test
  void isMonotonicWhateverTheWallClockDoes() {
    var random = new java.util.Random(7);
    long last = ticker.micros();
    for (int i = 0; i < 100_000; i++) {
      monotonicNanos.addAndGet(random.nextInt(100_000_000));
      wallMicros.addAndGet(random.nextInt(2_000_000) - 900_000);
      long now = ticker.micros();
      assertThat(now).isGreaterThanOrEqualTo(last);
      last = now;
    }
  }

  /** The time between the two clock reads of a descheduled thread is not a step. */
  @Test
  void isNotMovedAheadByADescheduledThread() {
    var delayed =
        new SystemTicker(wallMicros::get) {
          @Override
          long monotonicNanos() {
            advanceBoth(Duration.ofMillis(50));
            return monotonicNanos.get();
          }
        };
    for (int i = 0; i < 1_000; i++) {
      assertThat(delayed.micros()).isLessThanOrEqualTo(wallMicros.get());
    }
    assertThat(delayed.micros()).isGreaterThan(wallMicros.get() - 200_000);
  }

  private void advanceBoth(Duration time) {
    wallMicros.addAndGet(time.toNanos() / 1_000);
    monotonicNanos.addAndGet(time.toNanos());
  }
}
