package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int CALLS = 200;

  @Test
  void everyCallOfBothProtocolsIsDecided() throws Exception {
    var result = WarmUp.run(MemoryStore.create(), LONG, CALLS);
    assertThat(result.isComplete()).isTrue();
    assertThat(result.failed()).isZero();
  }

  @Test
  void endsWhenItsTimeIsUp() throws Exception {
    var result = WarmUp.run(MemoryStore.create(), Duration.ZERO, CALLS);
    assertThat(result.isComplete()).isFalse();
    assertThat(result.http() + result.grpc()).isZero();
  }

  @Test
  void startContinuesAtTheDeadlineThoughTheWarmUpIsNotOver() throws Exception {
    var closed = new CompletableFuture<Thread>();
    var slowToClose =
        new ForwardingStore(MemoryStore.create()) {
          @Override
          public void close() {
            closed.complete(Thread.currentThread());
            LockSupport.park(this);
            super.close();
          }
        };
    WarmUp.run(slowToClose, Duration.ofMillis(1));
    // Reached although the store never closes by itself.
    LockSupport.unpark(closed.get(60, TimeUnit.SECONDS));
  }

  @Test
  void leavesNothingInRedisThatDoesNotExpire() throws Exception {
    try (var redis = RedisServer.start()) {
      var options =
          RedisOptions.builder(redis.uri())
              .prefix("headgate:warm-up:")
              .deadline(Duration.ofSeconds(10))
              .build();
      var result = WarmUp.run(RedisStore.connect(options), LONG, CALLS);
      assertThat(result.failed()).isZero();
      assertThat(result.isComplete()).isTrue();
      for (var key : redis.call("KEYS", "*").items()) {
        assertThat(key.text()).startsWith("headgate:warm-up:");
        assertThat(redis.call("PTTL", key.text()).number())
            .as("PTTL of %s", key.text())
            .isBetween(0L, 60_000L);
      }
    }
  }

  @Test
  void absentRedisDoesNotPreventTheStart() throws Exception {
    var options =
        RedisOptions.builder("redis://127.0.0.1:1").deadline(Duration.ofMillis(50)).build();
    var result = WarmUp.run(RedisStore.connect(options), LONG, CALLS);
    assertThat(result.isComplete()).isTrue(); // by the rules' policies
  }
}
