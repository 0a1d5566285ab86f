package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that every Redis benchmark runs; it does not check any speed. */
class RedisTest {
  private static final Duration MOMENT = Duration.ofMillis(50);

  @BeforeAll
  static void redisIsInstalled() throws InterruptedException {
    assumeTrue(Redis.isInstalled(), "redis-server is not on the PATH (Debian's: redis-server)");
  }

  @Test
  void everyLimiterAndAlgorithmHasARowInTheReport() throws Exception {
    var tiny = new Redis.Pace(MOMENT, MOMENT, 1, MOMENT, 100, 320);
    var report = Redis.report(new ProgressLog(), tiny);
    for (var limiter : RemoteLimiter.values()) assertThat(report).contains("| " + limiter.title);
    for (var algorithm : RemoteAlgorithm.values()) {
      assertThat(report).contains("| " + algorithm.title, "| Headgate, " + algorithm.title);
    }
  }
}
