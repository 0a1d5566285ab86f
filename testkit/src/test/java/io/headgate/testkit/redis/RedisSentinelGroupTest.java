package io.headgate.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RedisSentinelGroupTest {
  @Test
  void sentinelsPromoteTheReplicaWithItsData() {
    try (var group = RedisSentinelGroup.start()) {
      var sentinels = group.sentinels().stream().map(RedisServer::port).toList();
      assertThat(group.uri())
          .isEqualTo(
              "redis-sentinel://127.0.0.1:%d,127.0.0.1:%d,127.0.0.1:%d/0#headgate"
                  .formatted(sentinels.toArray()));
      var first = group.primary();
      assertThat(first).isSameAs(group.servers().getFirst());
      first.call("SET", "k", "v");
      assertThat(first.call("WAIT", "1", "5000").number()).isEqualTo(1);

      assertThat(group.killPrimary()).isSameAs(first);
      assertThat(first.isAlive()).isFalse();
      var second = group.awaitFailover();

      assertThat(second).isSameAs(group.servers().getLast()).isSameAs(group.primary());
      assertThat(second.call("GET", "k").text()).isEqualTo("v");
      assertThat(second.call("SET", "k", "w").text()).isEqualTo("OK");
    }
  }

  @Test
  void groupWithoutReplicaIsRejected() {
    assertThatThrownBy(() -> RedisSentinelGroup.start(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a group needs at least 1 replica to fail over to, got 0");
  }
}
