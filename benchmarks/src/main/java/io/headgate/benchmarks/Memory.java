package io.headgate.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reports {@link MemoryProbe}. */
final class Memory {
  private static final int KEYS = 1_000_000;

  private Memory() {}

  static String report(BenchmarkContext context) throws IOException, InterruptedException {
    var table = new Table("", "bytes a key");
    for (var limiter : MeasuredLimiter.values()) {
      String bytes = probe(limiter);
      context.progress().log("  %s: %s bytes a key".formatted(limiter, bytes));
      table.row(limiter.title, bytes);
    }
    return """
    Live heap per key for 1,000,000 keys after one request each, without the key's own text (the `String`
    and its bytes). Each row is measured in a new JVM with `-Xmx4g`, G1 and default object headers, after
    garbage collection frees no more.

    %s\
    """
        .formatted(table);
  }

  private static String probe(MeasuredLimiter limiter) throws IOException, InterruptedException {
    var command =
        List.of(
            BenchmarkContext.java(),
            "-Xms4g",
            "-Xmx4g",
            "-XX:+UseG1GC",
            "-cp",
            BenchmarkContext.classPath(),
            MemoryProbe.class.getName(),
            Integer.toString(KEYS),
            limiter.name());
    try (var process = new Child(command)) {
      String output = new String(process.output().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (process.waitFor() != 0) {
        throw new IllegalStateException(
            "the probe of %s failed: %s".formatted(limiter, output.lines().findFirst().orElse("")));
      }
      return output;
    }
  }
}
