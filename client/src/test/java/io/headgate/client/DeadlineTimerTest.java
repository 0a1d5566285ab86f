package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadlineTimerTest {
  private static final long LATER = Duration.ofHours(1).toNanos();

  private final DeadlineTimer timer = new DeadlineTimer();

  @AfterEach
  void stop() {
    timer.close();
  }

  private CompletableFuture<String> future(long nanos) {
    var future = new CompletableFuture<String>();
    timer.expire(future, System.nanoTime() + nanos);
    return future;
  }

  private static void assertExpires(CompletableFuture<?> future) {
    assertThatThrownBy(() -> future.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(TimeoutException.class);
  }

  @Test
  void overdueFutureFails() {
    assertExpires(future(1_000_000));
    assertExpires(future(-1_000_000)); // the thread waits for nothing now
  }

  @Test
  void earlierDeadlineIsKeptThoughALaterOneIsKnown() {
    var late = future(LATER);
    Eventually.holds("the thread waits", Duration.ofSeconds(20), timer::isWaiting);
    assertExpires(future(1_000_000));
    assertThat(late).isNotDone();
  }

  @Test
  void futureAfterACompletedOneFails() {
    var first = future(20_000_000);
    var second = future(20_000_001);
    first.complete("in time");
    assertExpires(second);
    assertThat(first).isCompletedWithValue("in time");
  }

  @Test
  void completedFuturesAreDropped() {
    var pending = future(LATER);
    for (int i = 0; i < 10 * DeadlineTimer.MIN_PURGED; i++) future(LATER).complete("done");
    assertThat(timer.size()).isLessThanOrEqualTo(DeadlineTimer.MIN_PURGED);
    assertThat(pending).isNotDone();
  }

  @Test
  void futuresOfAClosedTimerFailAllTheSame() {
    var early = future(20_000_000);
    timer.close();
    assertExpires(early);
  }
}
