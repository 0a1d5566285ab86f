package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class InstanceCountTest {
  private static final long SECOND = 1_000_000_000;

  private final InstanceCount count = new InstanceCount(Duration.ofSeconds(6), 0);
  private long second;

  @Test
  void growsAtOnce() {
    seen(1);
    seen(5);
    assertThat(count.count()).isEqualTo(5);
  }

  @Test
  void shrinksAfterAMinuteInWhichFewerWereSeen() {
    seen(5);
    for (int i = 0; i < 29; i++) seen(2);
    assertThat(count.count()).isEqualTo(5);
    seen(2);
    assertThat(count.count()).isEqualTo(2);
  }

  @Test
  void shrinksToTheMostThatWereSeenInThatMinute() {
    seen(5);
    for (int i = 0; i < 29; i++) seen(i == 10 ? 4 : 2);
    seen(2);
    assertThat(count.count()).isEqualTo(4);
  }

  @Test
  void heartbeatsThatFailDelayIt() {
    seen(5);
    for (int i = 0; i < 20; i++) seen(2);
    count.failed(++second * SECOND);
    for (int i = 0; i < 29; i++) seen(2);
    assertThat(count.count()).isEqualTo(5);
    for (int i = 0; i < 2; i++) seen(2);
    assertThat(count.count()).isEqualTo(2);
  }

  @Test
  void heartbeatsThatHadNoAnswerDelayItToo() {
    seen(5);
    second += 600;
    for (int i = 0; i < 30; i++) seen(1);
    assertThat(count.count()).isEqualTo(5);
    seen(1);
    assertThat(count.count()).isEqualTo(1);
  }

  private void seen(int instances) {
    second += 2;
    count.seen(instances, second * SECOND);
  }
}
