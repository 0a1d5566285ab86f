package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class InstanceCountTest {
  private static final long SECOND = 1_000_000_000;

  private final InstanceCount count = new InstanceCount(Duration.ofSeconds(6), 0);
  private long second;

  @Test
  void growsImmediately() {
    heartbeat(1);
    heartbeat(5);
    assertThat(count.count()).isEqualTo(5);
  }

  @Test
  void shrinksAfterAMinuteOfLowerCounts() {
    heartbeat(5);
    for (int i = 0; i < 29; i++) heartbeat(2);
    assertThat(count.count()).isEqualTo(5);
    heartbeat(2);
    assertThat(count.count()).isEqualTo(2);
  }

  @Test
  void shrinksToTheHighestCountOfTheLastMinute() {
    heartbeat(5);
    for (int i = 0; i < 29; i++) heartbeat(i == 10 ? 4 : 2);
    heartbeat(2);
    assertThat(count.count()).isEqualTo(4);
  }

  @Test
  void failedHeartbeatsDelayShrinking() {
    heartbeat(5);
    for (int i = 0; i < 20; i++) heartbeat(2);
    count.heartbeatFailed(++second * SECOND);
    for (int i = 0; i < 29; i++) heartbeat(2);
    assertThat(count.count()).isEqualTo(5);
    for (int i = 0; i < 2; i++) heartbeat(2);
    assertThat(count.count()).isEqualTo(2);
  }

  @Test
  void missingHeartbeatsDelayShrinking() {
    heartbeat(5);
    second += 600;
    for (int i = 0; i < 30; i++) heartbeat(1);
    assertThat(count.count()).isEqualTo(5);
    heartbeat(1);
    assertThat(count.count()).isEqualTo(1);
  }

  private void heartbeat(int instances) {
    second += 2;
    count.record(instances, second * SECOND);
  }
}
