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
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration HOUR = Duration.ofHours(1);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Optional<String> read(RedisStore store, String topic) {
    var content = store.bulletin().read(topic).toCompletableFuture().join();
    return content.map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /** Until it is heard: what is said before somebody listens is lost on them. */
  private static void say(RedisStore from, String notice, ConcurrentLinkedQueue<String> heard) {
    Eventually.holds(
        notice + " is heard",
        PATIENCE,
        () -> {
          from.bulletin()
              .post("rules", bytes("content of " + notice), HOUR, notice)
              .toCompletableFuture()
              .join();
          return heard.contains(notice);
        });
  }

  @Test
  void whatOneInstancePostsAnotherHearsAndReads() {
    try (var redis = RedisServer.start();
        var one = RedisStore.connect(redis.uri());
        var other = RedisStore.connect(redis.uri())) {
      var heard = new ConcurrentLinkedQueue<String>();
      assertThat(read(other, "rules")).isEmpty();
      other.bulletin().listen("rules", heard::add);
      say(one, "7", heard);
      assertThat(read(other, "rules")).hasValue("content of 7");
      assertThat(read(other, "other rules")).isEmpty();
      assertThat(redis.call("PTTL", "headgate:rules").number()).isBetween(1L, HOUR.toMillis());
    }
  }

  @Test
  void itIsHeardAgainWhenRedisHasBeenAway() {
    try (var redis = RedisServer.start();
        var one = RedisStore.connect(redis.uri());
        var other = RedisStore.connect(redis.uri())) {
      var heard = new ConcurrentLinkedQueue<String>();
      other.bulletin().listen("rules", heard::add);
      say(one, "1", heard);
      redis.kill();
      assertThat(one.bulletin().post("rules", bytes("x"), HOUR, "2").toCompletableFuture())
          .failsWithin(PATIENCE);
      redis.restart();
      say(one, "3", heard);
      assertThat(heard).doesNotContain("2");
    }
  }

  /** Patient: to the server of a slot that nobody has asked yet it must connect first. */
  private static RedisStore connect(RedisCluster cluster) {
    return RedisStore.connect(RedisOptions.of(cluster.uri()).withDeadline(Duration.ofSeconds(10)));
  }

  @Test
  void inAClusterToo() {
    try (var cluster = RedisCluster.start(3, 0);
        var one = connect(cluster);
        var other = connect(cluster)) {
      var heard = new ConcurrentLinkedQueue<String>();
      other.bulletin().listen("rules", heard::add);
      say(one, "7", heard);
      assertThat(read(other, "rules")).hasValue("content of 7");
    }
  }
}
