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
  void anEventLoopThatRunsNothingIsNoticedUntilItRunsAgain() throws Exception {
    var vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    var held = new CountDownLatch(1);
    try {
      var watchdog = new EventLoopWatchdog();
      var loop = vertx.getOrCreateContext();
      watchdog.watch(loop);
      loop.runOnContext(now -> {
        try {
          held.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      });
      for (int i = 0; i < EventLoopWatchdog.PATIENCE; i++) watchdog.look();
      assertThat(watchdog.stuck()).isZero();
      watchdog.look();
      assertThat(watchdog.stuck()).isEqualTo(1);
      held.countDown();
      await().until(() -> watchdog.stuck() == 0);
    } finally {
      held.countDown();
      vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }
}
