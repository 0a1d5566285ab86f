package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class BroadcastTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration HOUR = Duration.ofHours(1);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Optional<String> read(RedisStore store, String topic) {
    var content = store.broadcast().read(topic).toCompletableFuture().join();
    return content.map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /** Posts until the notice is received, since notices before the subscription are lost. */
  private static void postUntilReceived(
      RedisStore from, String notice, ConcurrentLinkedQueue<String> received) {
    Eventually.holds(
        notice + " is received",
        TIMEOUT,
        () -> {
          from.broadcast()
              .post("rules", bytes("content of " + notice), HOUR, notice)
              .toCompletableFuture()
              .join();
          return received.contains(notice);
        });
  }

  @Test
  void postedContentIsNotifiedAndReadByAnotherInstance() {
    try (var redis = RedisServer.start();
        var one = RedisStore.connect(redis.uri());
        var other = RedisStore.connect(redis.uri())) {
      var received = new ConcurrentLinkedQueue<String>();
      assertThat(read(other, "rules")).isEmpty();
      other.broadcast().listen("rules", received::add);
      postUntilReceived(one, "7", received);
      assertThat(read(other, "rules")).hasValue("content of 7");
      assertThat(read(other, "other rules")).isEmpty();
      assertThat(redis.call("PTTL", "headgate:rules").number()).isBetween(1L, HOUR.toMillis());
    }
  }

  @Test
  void noticesResumeAfterRedisRestarts() {
    try (var redis = RedisServer.start();
        var one = RedisStore.connect(redis.uri());
        var other = RedisStore.connect(redis.uri())) {
      var received = new ConcurrentLinkedQueue<String>();
      other.broadcast().listen("rules", received::add);
      postUntilReceived(one, "1", received);
      redis.kill();
      assertThat(one.broadcast().post("rules", bytes("x"), HOUR, "2").toCompletableFuture())
          .failsWithin(TIMEOUT);
      redis.restart();
      postUntilReceived(one, "3", received);
      assertThat(received).doesNotContain("2");
    }
  }

  /** Uses a long deadline, since the first command to a node has to connect first. */
  private static RedisStore connect(RedisCluster cluster) {
    return RedisStore.connect(
        RedisOptions.builder(cluster.uri()).deadline(Duration.ofSeconds(10)).build());
  }

  @Test
  void postedContentIsNotifiedAndReadInCluster() {
    try (var cluster = RedisCluster.start(3, 0);
        var one = connect(cluster);
        var other = connect(cluster)) {
      var received = new ConcurrentLinkedQueue<String>();
      other.broadcast().listen("rules", received::add);
      postUntilReceived(one, "7", received);
      assertThat(read(other, "rules")).hasValue("content of 7");
    }
  }
}
