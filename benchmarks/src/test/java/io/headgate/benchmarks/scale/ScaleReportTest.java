package io.headgate.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.benchmarks.ProgressLog;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests that every measurement of scale runs; it does not check any speed. */
class ScaleReportTest {
  @Test
  void everyMeasurementIsInTheReport() throws Exception {
    var moment = Duration.ofMillis(50);
    var tiny = new ScaleReport.Pace(1_000, 100, 1_000, 20, moment, moment, moment);
    assertThat(
            ScaleReport.report(new ProgressLog(), tiny, Path.of("../server/target/headgate.jar")))
        .contains("1,000 keys", "100 rules", "live heap", "20 open HTTP connections")
        .contains("| 50% of", "| 80% of", "| 95% of", "| one Redis", "| Redis Cluster, 3");
  }

  @Test
  void tooFewOpenFilesAreExplained() {
    assertThat(ConnectionsRun.shortage(500, 500)).isEmpty();
    assertThat(ConnectionsRun.shortage(524, 10_000))
        .contains("of 10,000 wanted", "permits 1,024 open files", "ulimit -n 10500");
  }
}
