package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.store.StoreException;
import io.headgate.testkit.redis.RedisCluster;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedisServerInfoTest {
  @Test
  void serverReportsVersionMemoryAndClock() {
    try (var server =
        RedisServer.start("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")) {
      var info = RedisServerInfo.read(RedisOptions.of(server.uri())).getFirst();
      assertThat(info.server()).isEqualTo("127.0.0.1:" + server.port());
      assertThat(info.version().orElseThrow()).matches("\\d+\\.\\d+\\.\\d+");
      assertThat(info.maxMemory()).hasValue(100 << 20);
      assertThat(info.evicts()).isTrue();
      assertThat(info.roundTrip()).isPositive();
      assertThat(info.clockDifference().abs()).isLessThan(Duration.ofSeconds(1));
    }
  }

  @Test
  void serverWithoutMemoryLimitEvictsNothing() {
    try (var server = RedisServer.start("--maxmemory-policy", "allkeys-lru")) {
      assertThat(RedisServerInfo.read(RedisOptions.of(server.uri())).getFirst().evicts()).isFalse();
    }
  }

  @Test
  void userWithoutInfoLeavesTheVersionUnknown() {
    try (var server =
        RedisServer.start("--user", "limiter", "on", ">secret", "~*", "+@all", "-info")) {
      var options = RedisOptions.of("redis://limiter:secret@127.0.0.1:" + server.port());
      var info = RedisServerInfo.read(options).getFirst();
      assertThat(info.version()).isEmpty();
      assertThat(info.evicts()).isFalse();
      assertThat(info.roundTrip()).isPositive();
    }
  }

  @Test
  void everyPrimaryOfAClusterIsAsked() {
    try (var cluster = RedisCluster.start()) {
      assertThat(RedisServerInfo.read(RedisOptions.of(cluster.uri())))
          .hasSize(3)
          .allSatisfy(info -> assertThat(info.version()).isPresent());
    }
  }

  @Test
  void unreachableServerIsReportedWithItsAddress() {
    var stopped = RedisServer.start();
    stopped.close();
    assertThatThrownBy(() -> RedisServerInfo.read(RedisOptions.of(stopped.uri())))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("127.0.0.1:" + stopped.port())
        .hasMessageContaining("refused");
  }
}
