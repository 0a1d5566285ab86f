package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
  private static final TokenBucket THREE_PER_SECOND = TokenBucket.of(Rate.perSecond(3));

  @Test
  void burstPassesAtOnceThenRequestsWaitForTheRate() {
    assertThat(Trace.of(THREE_PER_SECOND, "0ms 0ms 0ms 0ms 333ms 334ms"))
        .isEqualTo("ok:2 ok:1 ok:0 wait:333334us wait:334us ok:0");
  }

  @Test
  void fractionsOfAMicrosecondAddUp() {
    assertThat(Trace.of(THREE_PER_SECOND, "3@0ms 333333us 333334us 666666us 666667us 999999us 1s"))
        .isEqualTo("ok:0 wait:1us ok:0 wait:1us ok:0 wait:1us ok:0");
  }

  @Test
  void bucketRefillsToItsBurstAndNoFurther() {
    assertThat(Trace.of(TokenBucket.of(Rate.perSecond(1)).withBurst(5), "5@0s 0@3s 0@5s 0@90d"))
        .isEqualTo("ok:0 ok:3 ok:5 ok:5");
  }

  @Test
  void clockThatStepsBackGrantsNoPermits() {
    assertThat(Trace.of(THREE_PER_SECOND, "900ms 900ms 900ms 100ms 900ms 1233ms 1234ms"))
        .isEqualTo("ok:2 ok:1 ok:0 wait:1133334us wait:333334us wait:334us ok:0");
  }

  @Test
  void costIsChargedInFullOrNotAtAll() {
    assertThat(Trace.of(THREE_PER_SECOND, "2@0s 2@0s 1@0s")).isEqualTo("ok:1 wait:333334us ok:0");
  }

  @Test
  void costOfZeroChargesNothing() {
    assertThat(Trace.of(THREE_PER_SECOND, "0@0s 0@0s 3@0s 0@0s")).isEqualTo("ok:3 ok:3 ok:0 ok:0");
  }

  @Test
  void costAboveTheBurstIsImpossible() {
    assertThat(THREE_PER_SECOND.step(State.FRESH, 0, 4).outcome())
        .isEqualTo(new ExceedsCapacity(3, 0, 4, 3));
    assertThat(THREE_PER_SECOND.step(State.FRESH, 0, Long.MAX_VALUE).outcome())
        .isEqualTo(new ExceedsCapacity(3, 0, Long.MAX_VALUE, 3));
  }

  @Test
  void onePerDayRefillsDaily() {
    assertThat(Trace.of(TokenBucket.of(Rate.perDay(1)), "1d 1d 2d 2d 4d"))
        .isEqualTo("ok:0 wait:86400s ok:0 wait:86400s ok:0");
  }

  @Test
  void millionPerDayRefillsOneEvery86Point4Milliseconds() {
    assertThat(Trace.of(TokenBucket.of(Rate.perDay(1_000_000)), "1000000@0s 0s 86399us 86400us 1d"))
        .isEqualTo("ok:0 wait:86400us wait:1us ok:0 ok:999998");
  }

  @Test
  void millionPerSecondRefillsOneEveryMicrosecond() {
    assertThat(
            Trace.of(
                TokenBucket.of(Rate.perSecond(1_000_000)).withBurst(2), "0us 0us 0us 1us 1us 4us"))
        .isEqualTo("ok:1 ok:0 wait:1us ok:0 wait:1us ok:1");
  }

  @Test
  void severalPermitsAreRefilledPerMicrosecond() {
    var limit = TokenBucket.of(Rate.of(5_000, Duration.ofMillis(1))).withBurst(7);
    assertThat(Trace.of(limit, "7@0us 0us 5@1us 1us 0@2us 0@3us"))
        .isEqualTo("ok:0 wait:1us ok:0 wait:1us ok:5 ok:7");
  }

  /**
   * A rate that is not a whole number per microsecond, checked at every microsecond of a second.
   */
  @Test
  void indivisibleRateDoesNotDrift() {
    var limit = TokenBucket.of(Rate.perSecond(999_983)).withBurst(2);
    State state = State.FRESH;
    long admitted = 0;
    for (long now = 0; now <= 1_000_000; now++) {
      var step = limit.step(state, now, 1);
      state = step.state();
      if (step.outcome() instanceof Passed) admitted++;
    }
    assertThat(admitted).isEqualTo(2 + 999_983);
  }

  @Test
  void bucketRejectsAnotherRefillTime() {
    var bucket = TokenBucket.of(Rate.perSecond(10)).bucket();
    assertThat(bucket.refillTime()).isEqualTo(1_000_000);
    assertThatThrownBy(() -> new Bucket(bucket.rate(), bucket.units(), 10, false, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the refill time must be 1000000 µs, got 1");
  }
}
