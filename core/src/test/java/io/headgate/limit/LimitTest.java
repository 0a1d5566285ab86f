package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LimitTest {
  private static final Rate TEN_PER_SECOND = Rate.perSecond(10);

  @Test
  void algorithmsHaveTheNamesUsedInRules() {
    assertThat(
            Stream.of(
                    new TokenBucket(TEN_PER_SECOND),
                    LeakyBucket.rejecting(TEN_PER_SECOND),
                    FixedWindow.of(TEN_PER_SECOND),
                    SlidingWindow.of(TEN_PER_SECOND),
                    RollingWindow.of(TEN_PER_SECOND),
                    Concurrency.of(10))
                .map(Limit::algorithm))
        .containsExactly(
            "token-bucket",
            "leaky-bucket",
            "fixed-window",
            "sliding-window",
            "rolling-window",
            "concurrency");
  }

  @Test
  void rateKeepsTheGivenNumbers() {
    assertThat(Rate.perMinute(100))
        .hasToString("100 per PT1M")
        .isEqualTo(Rate.of(100, Duration.ofSeconds(60)));
    assertThat(Rate.perMinute(100)).isNotEqualTo(Rate.of(50, Duration.ofSeconds(30)));
    assertThat(Rate.perHour(5).periodMicros()).isEqualTo(3_600_000_000L);
  }
}
