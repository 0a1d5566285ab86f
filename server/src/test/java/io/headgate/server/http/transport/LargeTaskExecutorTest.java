package io.headgate.server.http.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.server.api.ProblemException;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LargeTaskExecutorTest {
  @Test
  void taskBeyondTheMaximumIsRejectedUntilAnotherEnds() {
    var mayEnd = new CountDownLatch(1);
    List<CompletableFuture<Integer>> results = new ArrayList<>();
    try {
      for (int i = 0; i < LargeTaskExecutor.MAX_TASKS; i++) {
        int number = i;
        results.add(
            LargeTaskExecutor.supply(() -> {
              await(mayEnd);
              return number;
            }));
      }
      assertThatThrownBy(() -> LargeTaskExecutor.supply(() -> -1))
          .isInstanceOfSatisfying(
              ProblemException.class,
              e -> {
                assertThat(e.problem().status()).isEqualTo(503);
                assertThat(e.problem().headers()).containsEntry("Retry-After", "1");
              });
    } finally {
      mayEnd.countDown();
    }
    for (int i = 0; i < results.size(); i++) assertThat(results.get(i).join()).isEqualTo(i);
    assertThat(retried()).isEqualTo(-1);
  }

  /** Runs a task; the places of earlier ones are released shortly after their results. */
  private static int retried() {
    while (true) {
      try {
        return LargeTaskExecutor.supply(() -> -1).join();
      } catch (ProblemException full) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void failureIsTheResultAndFreesThePlace() {
    for (int i = 0; i <= LargeTaskExecutor.MAX_TASKS; i++) {
      assertThat(failed()).isInstanceOf(IllegalStateException.class);
    }
  }

  private static Throwable failed() {
    while (true) {
      try {
        var result =
            LargeTaskExecutor.supply(() -> {
              throw new IllegalStateException("a failure");
            });
        return result.handle((value, failure) -> failure).join();
      } catch (ProblemException full) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void busyEventLoopAccumulatesNoResults() {
    int tasks = LargeTaskExecutor.MAX_TASKS / 2;
    var begun = new AtomicInteger();
    var delivered = new AtomicInteger();
    var most = new AtomicInteger();
    var allSubmitted = new CountDownLatch(1);
    var all = new CountDownLatch(tasks);
    var full = new CountDownLatch(LargeTaskExecutor.CONCURRENCY);
    var vertx = Vertx.vertx();
    try {
      var eventLoop = vertx.getOrCreateContext();
      eventLoop.runOnContext(busy -> {
        for (int i = 0; i < tasks; i++) {
          var result =
              LargeTaskExecutor.supply(() -> {
                await(allSubmitted);
                full.countDown();
                return begun.incrementAndGet();
              });
          var unused =
              result.thenAccept(value ->
                  eventLoop.runOnContext(woken -> {
                    most.accumulateAndGet(begun.get() - delivered.getAndIncrement(), Math::max);
                    all.countDown();
                  }));
        }
        allSubmitted.countDown();
        await(full);
        LockSupport.parkNanos(20_000_000); // further tasks would begin meanwhile
      });
      await(all);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
    assertThat(delivered).hasValue(tasks);
    assertThat(most.get()).isBetween(1, LargeTaskExecutor.CONCURRENCY);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
