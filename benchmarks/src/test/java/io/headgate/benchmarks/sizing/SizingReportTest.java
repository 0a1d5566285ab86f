package io.headgate.benchmarks.sizing;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.benchmarks.ProgressLog;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that every figure is measured and written; it does not check any size. */
class SizingReportTest {
  private static final Path RECORDED = Path.of("..").resolve(SizingReport.FIGURES);

  @TempDir Path folder;

  @Test
  void everyRecordedFigureIsMeasuredOrKept() throws Exception {
    var earlier = folder.resolve("earlier");
    Files.writeString(earlier, "http.memory.micros=16.6\nhttp.redis.micros=24.8\n");
    var written = folder.resolve("written");
    var tiny = new SizingReport.Pace(100, 20, 1, Duration.ofMillis(20), Duration.ofMillis(100));
    var report =
        SizingReport.report(new ProgressLog(), tiny, SizingReportTest::heap, earlier, written);
    for (var limit : SizedLimit.values()) assertThat(report).contains("| " + limit.label() + " |");
    assertThat(names(written)).isEqualTo(names(RECORDED));
  }

  /** Returns the used heap, without collections: the sizes are not checked. */
  private static long heap() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static Object names(Path file) throws Exception {
    var properties = new Properties();
    try (var in = Files.newBufferedReader(file)) {
      properties.load(in);
    }
    return properties.keySet();
  }
}
