package io.headgate.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.benchmarks.ProgressLog;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the measurement of the cluster runs; it does not check any speed. */
class ClusterSpeedTest {
  private static final Duration MOMENT = Duration.ofMillis(50);

  @Test
  void everyLimiterHasARowInTheReport(@TempDir Path directory) throws Exception {
    var tiny = new ClusterSpeed.Pace(1, MOMENT, 1, MOMENT);
    var report = ClusterSpeed.report(new ProgressLog(), tiny, directory.resolve("none.jar"));
    for (var limiter : MemberMain.Limiter.values())
      assertThat(report).contains("| " + limiter.title);
    assertThat(report)
        .contains(
            "One member, 10,000 random keys:",
            "One member, 10,000 random keys, 512 callers:",
            "One member, one key:",
            "until joined, member 1");
  }
}
