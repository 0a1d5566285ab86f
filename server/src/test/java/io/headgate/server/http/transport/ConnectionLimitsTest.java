package io.headgate.server.http.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {
  @Test
  void connectionsUseAtMostAQuarterOfTheHeap() {
    assertThat(ConnectionLimits.DEFAULT.maxConnections(128L << 20)).isEqualTo(2048);
  }

  @Test
  void largeHeapAllowsNoMoreConnectionsThanConfigured() {
    assertThat(ConnectionLimits.DEFAULT.maxConnections(Long.MAX_VALUE)).isEqualTo(10_000);
  }

  @Test
  void smallestHeapAllowsOneConnection() {
    assertThat(ConnectionLimits.DEFAULT.maxConnections(0)).isEqualTo(1);
  }
}
