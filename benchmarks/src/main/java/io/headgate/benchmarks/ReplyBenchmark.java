package io.headgate.benchmarks;

import io.headgate.server.api.JsonWriter;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Measures writing the body of one decision: the service's writer, and appending by hand. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ReplyBenchmark {
  private String rule = "per-user";
  private String algorithm = "token-bucket";
  private String source = "store";
  private long limit = 100;
  private long reset = 60_000;
  private long remaining;

  @Setup
  public void setUp() {
    if (!writer().equals(byHand())) {
      throw new IllegalStateException("%s is not %s".formatted(writer(), byHand()));
    }
  }

  @Benchmark
  public Buffer writer() {
    var out = new JsonWriter().begin();
    out.name("allowed").value(true).name("rule").value(rule).name("limit").value(limit);
    out.name("remaining").value(remaining).name("retryAfterMs").value(0);
    out.name("resetAfterMs").value(reset).name("delayMs").value(0).name("source").value(source);
    out.name("violated").beginList().endList().name("limits").beginList().begin();
    out.name("rule").value(rule).name("name").value(rule).name("algorithm").value(algorithm);
    out.name("limit").value(limit).name("remaining").value(remaining);
    out.name("resetAfterMs").value(reset).end().endList().end();
    return out.buffer();
  }

  /** Writes the same without a check of the structure, as a writer of our own would. */
  @Benchmark
  public Buffer byHand() {
    var out = new StringBuilder(512).append("{\"allowed\":true,\"rule\":");
    text(out, rule).append(",\"limit\":").append(limit).append(",\"remaining\":").append(remaining);
    out.append(",\"retryAfterMs\":").append(0).append(",\"resetAfterMs\":").append(reset);
    out.append(",\"delayMs\":").append(0).append(",\"source\":");
    text(out, source).append(",\"violated\":[],\"limits\":[{\"rule\":");
    text(out, rule).append(",\"name\":");
    text(out, rule).append(",\"algorithm\":");
    text(out, algorithm).append(",\"limit\":").append(limit).append(",\"remaining\":");
    out.append(remaining).append(",\"resetAfterMs\":").append(reset).append("}]}");
    return Buffer.buffer(out.toString());
  }

  private static StringBuilder text(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~') throw new IllegalArgumentException(text);
      if (c == '"' || c == '\\') out.append('\\');
      out.append(c);
    }
    return out.append('"');
  }
}
