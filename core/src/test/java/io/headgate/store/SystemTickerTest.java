package io.headgate.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SystemTickerTest {
  private static final long NOON = 1_800_000_000_000_000L;

  private final AtomicLong wallMicros = new AtomicLong(NOON);
  private final AtomicLong steadyNanos = new AtomicLong(-5_000_000_000L); // may well be negative
  private final SystemTicker ticker = new SystemTicker(wallMicros::get, steadyNanos::get);

  @Test
  void tellsTheTimeOfTheWallClock() {
    assertThat(ticker.micros()).isEqualTo(NOON);
    bothGoOn(Duration.ofHours(1));
    assertThat(ticker.micros()).isEqualTo(NOON + 3_600_000_000L);
  }

  @Test
  void goesOnWhenTheWallClockStepsBack() {
    wallMicros.addAndGet(-3_600_000_000L);
    for (int second = 1; second <= 10; second++) {
      bothGoOn(Duration.ofSeconds(1));
      assertThat(ticker.micros()).isEqualTo(NOON + second * 1_000_000L);
    }
  }

  @Test
  void followsAStepForwardWithinASecond() {
    wallMicros.addAndGet(3_600_000_000L);
    bothGoOn(Duration.ofMillis(999));
    assertThat(ticker.micros()).isEqualTo(NOON + 999_000L);
    bothGoOn(Duration.ofMillis(1));
    assertThat(ticker.micros()).isEqualTo(NOON + 3_601_000_000L);
    assertThat(ticker.micros()).isEqualTo(wallMicros.get());
  }

  @Test
  void takesAFewMillisecondsForTheCourseOfNature() {
    wallMicros.addAndGet(10_000);
    bothGoOn(Duration.ofSeconds(1));
    assertThat(ticker.micros()).isEqualTo(NOON + 1_000_000L);
  }

  @Test
  void neverTurnsBackWhateverTheWallClockDoes() {
    var random = new java.util.Random(7);
    long last = ticker.micros();
    for (int i = 0; i < 100_000; i++) {
      steadyNanos.addAndGet(random.nextInt(100_000_000));
      wallMicros.addAndGet(random.nextInt(2_000_000) - 900_000);
      long now = ticker.micros();
      assertThat(now).isGreaterThanOrEqualTo(last);
      last = now;
    }
  }

  /** The time for which a thread is held up between two readings is no step of the wall clock. */
  @Test
  void isNotMovedAheadByAThreadThatIsHeldUpWhileItLooks() {
    var heldUp =
        new SystemTicker(
            wallMicros::get,
            () -> {
              bothGoOn(Duration.ofMillis(50));
              return steadyNanos.get();
            });
    for (int i = 0; i < 1_000; i++) {
      assertThat(heldUp.micros()).isLessThanOrEqualTo(wallMicros.get());
    }
    assertThat(heldUp.micros()).isGreaterThan(wallMicros.get() - 200_000);
  }

  private void bothGoOn(Duration time) {
    wallMicros.addAndGet(time.toNanos() / 1_000);
    steadyNanos.addAndGet(time.toNanos());
  }
}
