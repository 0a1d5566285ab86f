package io.headgate.server.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LoadGeneratorTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void openLoopSendsEveryRequestOnce() throws Exception {
    Set<Long> sent = ConcurrentHashMap.newKeySet();
    var generator =
        new LoadGenerator(
            new LoadSettings(SECOND, 3, 200),
            number -> {
              assertThat(sent.add(number)).isTrue();
              return new CheckReply(number % 4 == 0, "store");
            });
    var result = generator.run();
    assertThat(sent).hasSize(200).contains(0L, 199L);
    assertThat(result.allowed()).isEqualTo(50);
    assertThat(result.denied()).isEqualTo(150);
    assertThat(result.failed()).isZero();
    assertThat(result.sources()).isEqualTo(Map.of("store", 200L));
    assertThat(result.micros().getTotalCount()).isEqualTo(200);
    assertThat(generator.decided()).isEqualTo(200);
  }

  /** One reply takes a whole second; the requests that were due meanwhile waited for it. */
  @Test
  void openLoopCountsTheWaitBehindASlowReply() throws Exception {
    var never = new CountDownLatch(1);
    var result =
        new LoadGenerator(
                new LoadSettings(SECOND, 1, 100),
                number -> {
                  if (number == 0) awaitFor(never, 1_000);
                  return new CheckReply(true, "store");
                })
            .run();
    assertThat(result.allowed()).isEqualTo(100);
    assertThat(result.micros().getValueAtPercentile(50)).isGreaterThan(300_000);
  }

  @Test
  void failedRequestsAreCountedAndEndALoadThatOnlyFails() throws Exception {
    var result =
        new LoadGenerator(
                new LoadSettings(Duration.ofHours(1), 2, 0),
                number -> {
                  throw new IllegalStateException("refused");
                })
            .run();
    assertThat(result.failed()).isEqualTo(2_000);
    assertThat(result.firstFailure()).hasValue("refused");
    assertThat(result.perSecond()).isZero();
  }

  @Test
  void settingsOutOfRangeAreRejected() {
    assertThatThrownBy(() -> new LoadSettings(Duration.ofMillis(999), 1, 0))
        .hasMessageContaining("--duration must be 1s to 1h");
    assertThatThrownBy(() -> new LoadSettings(SECOND, 0, 0))
        .hasMessage("--connections must be 1 to 1000, got 0");
    assertThatThrownBy(() -> new LoadSettings(SECOND, 1, -1))
        .hasMessage("--rate must be 0 to 1000000 per second, got -1");
  }

  private static void awaitFor(CountDownLatch latch, long millis) {
    try {
      assertThat(latch.await(millis, java.util.concurrent.TimeUnit.MILLISECONDS)).isFalse();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
