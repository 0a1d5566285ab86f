package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.RedisOptions;
import io.headgate.testkit.redis.RedisServer;
import org.junit.jupiter.api.Test;

class ServerProbeTest {
  @Test
  void activeActiveReplicationIsRecognizedByRoleOrModule() {
    assertThat(ServerProbe.isActiveActive("# Replication\r\nrole:active-replica\r\n")).isTrue();
    assertThat(ServerProbe.isActiveActive("role:master\r\n# Modules\r\nmodule:name=crdt,ver=1\r\n"))
        .isTrue();
    assertThat(ServerProbe.isActiveActive("role:master\r\nmodule:name=search,ver=1\r\n")).isFalse();
  }

  @Test
  void plainRedisHasOnePrimary() {
    try (var redis = RedisServer.start()) {
      assertThat(ServerProbe.isActiveActive(RedisOptions.of(redis.uri()))).isFalse();
    }
  }
}
