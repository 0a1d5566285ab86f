package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.redis.RedisAddress.Topology;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "redis://localhost; STANDALONE; localhost:6379",
        "redis://bob:secret@cache.example:7000/3; STANDALONE; cache.example:7000",
        "rediss://cache.example; STANDALONE; cache.example:6379",
        "redis-sentinel://:secret@a:1,b:2/0#main; SENTINEL; main (by Sentinel at a:1, b:2)",
        "redis-cluster://bob:secret@a:1,b:2; CLUSTER; the cluster of a:1, b:2",
        "rediss-cluster://a:1; CLUSTER; the cluster of a:1",
      })
  void toStringShowsServersWithoutPassword(String uri, Topology topology, String shown) {
    var address = RedisAddress.parse(uri);
    assertThat(address.topology()).isEqualTo(topology);
    assertThat(address).hasToString(shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost:6379",
        "http://secret@localhost",
        "redis://:secret@",
        "redis://:secret@local host",
        "redis-sentinel://:secret@a:1,b:2",
        "redis-cluster://:secret@a:1/2",
        "redis-cluster://",
        "redis-cluster://:secret@a:x",
        "redis://localhost:secret",
        "rediss://:secret@a:x/0",
        "redis://:secret@a:0",
        "redis://:secret@a:65536",
        "redis://:secret@a:123456789012",
        "redis-sentinel://:secret@a:1,b:99999#main",
        "redis-cluster://:secret@a:1,b:70000",
      })
  void malformedAddressIsRejectedWithAcceptedForms(String uri) {
    assertThatThrownBy(() -> RedisAddress.parse(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("invalid Redis address: ")
        .hasMessageContaining("redis://[user:password@]host:port[/database]")
        .hasMessageNotContaining("secret")
        .hasNoCause();
  }
}
