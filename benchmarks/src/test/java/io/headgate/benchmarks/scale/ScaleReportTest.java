package io.headgate.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.benchmarks.ProgressLog;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests that every measurement of scale runs; it does not check any speed. */
class ScaleReportTest {
  @Test
  void everyMeasurementIsInTheReport() throws Exception {
    var moment = Duration.ofMillis(200);
    var tiny = new ScaleReport.Pace(1_000, 100, 1_000, moment, moment);
    assertThat(ScaleReport.report(new ProgressLog(), tiny))
        .contains("1,000 keys", "100 rules", "live heap", "| 50% of", "| 80% of", "| 95% of");
  }
}
