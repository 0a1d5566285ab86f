package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RollingWindowTest {
  private static final RollingWindow THREE_PER_MINUTE = RollingWindow.of(Rate.perMinute(3));

  @Test
  void eachRequestCountsForExactlyOneWindow() {
    assertThat(Trace.of(THREE_PER_MINUTE, "0s 20s 40s 50s 59999999us 60s 79s 80s"))
        .isEqualTo("ok:2 ok:1 ok:0 wait:10s wait:1us ok:0 wait:1s ok:0");
  }

  @Test
  void retryTimeDependsOnTheCost() {
    assertThat(Trace.of(THREE_PER_MINUTE, "0s 20s 40s 1@50s 2@50s 3@50s 4@50s"))
        .isEqualTo("ok:2 ok:1 ok:0 wait:10s wait:30s wait:50s never");
  }

  @Test
  void minimumIntervalIsEnforced() {
    var limit = RollingWindow.of(Rate.perMinute(3)).withMinInterval(Duration.ofSeconds(5));
    assertThat(Trace.of(limit, "0s 1s 5s 9s 10s 15s 60s"))
        .isEqualTo("ok:0 wait:4s ok:0 wait:1s ok:0 wait:45s ok:0");
  }

  @Test
  void remainingIsZeroUntilTheMinimumIntervalHasPassed() {
    var limit = RollingWindow.of(Rate.perMinute(3)).withMinInterval(Duration.ofSeconds(5));
    assertThat(Trace.of(limit, "0@0s 0s 0@4999ms 0@5s")).isEqualTo("ok:3 ok:0 ok:0 ok:2");
  }

  @Test
  void requestAfterTheClockStepsBackCountsFromTheLatest() {
    assertThat(Trace.of(THREE_PER_MINUTE, "100s 90s 80s 80s 159s 160s"))
        .isEqualTo("ok:2 ok:1 ok:0 wait:80s wait:1s ok:2");
  }

  @Test
  void hundredThousandRequestsAreStoredIndividually() {
    var limit = RollingWindow.of(Rate.of(100_000, Duration.ofSeconds(1)));
    State state = State.FRESH;
    for (long now = 0; now < 1_000_000; now += 10) {
      var step = limit.step(state, now, 1);
      assertThat(step.outcome()).isInstanceOf(Passed.class);
      state = step.state();
    }
    assertThat(limit.step(state, 999_995, 1).outcome()).isEqualTo(new Refused(0, 999_995, 5));
    assertThat(limit.step(state, 999_995, 50_000).outcome())
        .isEqualTo(new Refused(0, 999_995, 499_995));
    assertThat(limit.step(state, 1_500_000, 0).outcome()).isEqualTo(new Passed(50_001, 499_990, 0));
  }
}
