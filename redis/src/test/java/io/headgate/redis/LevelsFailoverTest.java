package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.redis.LevelScenario.ShiftedClock;
import io.headgate.store.Ticker;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisSentinelGroup;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests levels on a Redis Cluster and behind Sentinel, with the loss of a primary. */
class LevelsFailoverTest {
  @Test
  void levelsOnAClusterAreSharedAndOutliveAPrimary() {
    try (var cluster = RedisCluster.start()) {
      var backends = backendsOnEachPrimary(cluster);
      var clock = new ShiftedClock(Duration.ZERO);
      try (var one = LevelScenario.limiter(cluster.uri(), clock);
          var other = LevelScenario.limiter(cluster.uri(), Ticker.system())) {
        for (String backend : backends) {
          other.check(LevelScenario.request(backend, 0));
          LevelScenario.overload(one, backend, 0.01);
          assertThat(LevelScenario.level(other, backend)).isPositive();
        }
        String lost = backends.getFirst();
        int slot = RedisCluster.slotOf(LevelScenario.key(lost));
        var killed = cluster.killPrimaryOfSlot(slot);
        assertKeptThenFaded(one, lost, clock);
        cluster.awaitFailover(slot, killed);
        LevelScenario.overload(one, lost, 0.01);
        assertThat(LevelScenario.level(other, lost)).isPositive();
      }
    }
  }

  /** Returns three backends whose states are on three primaries. */
  private static List<String> backendsOnEachPrimary(RedisCluster cluster) {
    var found = new HashMap<RedisServer, String>();
    for (int i = 0; i < 100 && found.size() < 3; i++) {
      var backend = "backend-" + i;
      int slot = RedisCluster.slotOf(LevelScenario.key(backend));
      found.putIfAbsent(cluster.primaryOfSlot(slot), backend);
    }
    assertThat(found).hasSize(3);
    return List.copyOf(found.values());
  }

  @Test
  void levelsBehindSentinelOutliveAPrimary() {
    try (var group = RedisSentinelGroup.start()) {
      var clock = new ShiftedClock(Duration.ZERO);
      try (var limiter = LevelScenario.limiter(group.uri(), clock)) {
        LevelScenario.overload(limiter, "checkout", 0.01);
        group.killPrimary();
        assertKeptThenFaded(limiter, "checkout", clock);
        group.awaitFailover();
        LevelScenario.overload(limiter, "checkout", 0.01);
      }
    }
  }

  /** Requires that the level of a lost store is kept for some seconds, and that then all pass. */
  private static void assertKeptThenFaded(RateLimiter limiter, String backend, ShiftedClock clock) {
    double held = levelWithoutStore(limiter, backend);
    assertThat(held).isPositive();
    clock.advance(LevelScenario.FADED);
    for (int user = 0; user < 100; user++) {
      assertThat(limiter.check(LevelScenario.request(backend, user)).isAllowed()).isTrue();
    }
    assertThat(levelWithoutStore(limiter, backend)).isZero();
  }

  /** Returns the level as the limiter has it; an exchange would wait for the lost primary. */
  private static double levelWithoutStore(RateLimiter limiter, String backend) {
    return limiter.signals().levels().stream()
        .filter(level -> level.backend().equals(backend))
        .mapToDouble(level -> level.level())
        .sum();
  }
}
