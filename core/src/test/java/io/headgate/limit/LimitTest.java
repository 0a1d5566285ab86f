package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.SlidingWindow.Bound;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LimitTest {
  private static final Rate TEN_PER_SECOND = Rate.perSecond(10);

  @Test
  void algorithmsHaveTheNamesUsedInRules() {
    assertThat(
            Stream.of(
                    TokenBucket.of(TEN_PER_SECOND),
                    LeakyBucket.of(TEN_PER_SECOND),
                    FixedWindow.of(TEN_PER_SECOND),
                    SlidingWindow.of(TEN_PER_SECOND),
                    RollingWindow.of(TEN_PER_SECOND),
                    Concurrency.of(10),
                    AdaptiveConcurrency.between(10, 10),
                    new Deny(),
                    new Unlimited())
                .map(limit -> limit.algorithm().id()))
        .containsExactly(
            "token-bucket",
            "leaky-bucket",
            "fixed-window",
            "sliding-window",
            "rolling-window",
            "concurrency",
            "adaptive-concurrency",
            "deny",
            "unlimited");
  }

  @Test
  void limitsWithoutStateLeaveTheStateUnchanged() {
    var used = TokenBucket.of(TEN_PER_SECOND).step(State.FRESH, 0, 3).state();
    for (long cost : new long[] {0, 1, 1_000}) {
      assertThat(new Deny().step(used, 0, cost))
          .isEqualTo(new Step(used, new Outcome.Refused(0, 0, Deny.ENDLESS)));
      assertThat(new Unlimited().step(used, 0, cost))
          .isEqualTo(new Step(used, new Outcome.Passed(Long.MAX_VALUE, 0, 0)));
    }
    assertThat(new Deny().dividedBy(3)).isEqualTo(new Deny());
    assertThat(new Unlimited().adopt(used, 0)).isSameAs(used);
  }

  @Test
  void factoriesSetTheDefaults() {
    assertThat(TokenBucket.of(TEN_PER_SECOND)).isEqualTo(new TokenBucket(TEN_PER_SECOND, 10));
    assertThat(LeakyBucket.of(TEN_PER_SECOND).queue()).isEqualTo(new LeakyBucket.Queue.None());
    assertThat(FixedWindow.of(TEN_PER_SECOND))
        .isEqualTo(FixedWindow.of(10, new Window.Epoch(Duration.ofSeconds(1))));
    assertThat(SlidingWindow.of(TEN_PER_SECOND))
        .isEqualTo(new SlidingWindow(TEN_PER_SECOND, 10, Bound.INTERPOLATED));
    assertThat(RollingWindow.of(TEN_PER_SECOND).minInterval()).isZero();
    assertThat(Concurrency.of(10).lease()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void eachWitherReplacesOneParameter() {
    var second = Duration.ofSeconds(1);
    var month = new Window.Calendar(Window.Unit.MONTH, ZoneOffset.UTC);
    assertThat(TokenBucket.of(TEN_PER_SECOND).withBurst(20))
        .isEqualTo(new TokenBucket(TEN_PER_SECOND, 20));
    assertThat(LeakyBucket.of(TEN_PER_SECOND).withMaxWait(second).withQueue(5))
        .isEqualTo(new LeakyBucket(TEN_PER_SECOND, new LeakyBucket.Queue.Length(5)));
    assertThat(LeakyBucket.of(TEN_PER_SECOND).withQueue(5).withMaxWait(second))
        .isEqualTo(new LeakyBucket(TEN_PER_SECOND, new LeakyBucket.Queue.Wait(second)));
    assertThat(FixedWindow.of(TEN_PER_SECOND).withAlignment(month))
        .isEqualTo(new FixedWindow(10, month));
    assertThat(SlidingWindow.of(TEN_PER_SECOND).withBound(Bound.CONSERVATIVE).withBuckets(5))
        .isEqualTo(SlidingWindow.of(TEN_PER_SECOND).withBuckets(5).withBound(Bound.CONSERVATIVE))
        .isEqualTo(new SlidingWindow(TEN_PER_SECOND, 5, Bound.CONSERVATIVE));
    assertThat(RollingWindow.of(TEN_PER_SECOND).withMinInterval(second))
        .isEqualTo(new RollingWindow(TEN_PER_SECOND, second));
    assertThat(Concurrency.of(10).withLease(second)).isEqualTo(new Concurrency(10, second));
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
