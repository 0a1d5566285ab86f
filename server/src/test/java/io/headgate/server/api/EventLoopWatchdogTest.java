package io.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EventLoopWatchdogTest {
  @Test
  void blockedEventLoopIsStuckUntilItRunsAgain() throws Exception {
    var vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    var blocked = new CountDownLatch(1);
    try {
      var watchdog = new EventLoopWatchdog();
      var loop = vertx.getOrCreateContext();
      watchdog.watch(loop);
      loop.runOnContext(now -> {
        try {
          blocked.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      });
      for (int i = 0; i < EventLoopWatchdog.MAX_PENDING_TICKS; i++) watchdog.probe();
      assertThat(watchdog.stuckLoops()).isZero();
      watchdog.probe();
      assertThat(watchdog.stuckLoops()).isEqualTo(1);
      blocked.countDown();
      await().until(() -> watchdog.stuckLoops() == 0);
    } finally {
      blocked.countDown();
      vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }
}
