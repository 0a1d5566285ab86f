package io.headgate.benchmarks;

import com.fasterxml.jackson.core.JsonFactory;
import io.headgate.server.api.JsonName;
import io.headgate.server.api.JsonWriter;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Measures writing the body of one decision: the service's writer, Jackson's generator, and
 * appending to a text without a check of the structure.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ReplyBenchmark {
  private static final JsonFactory FACTORY = new JsonFactory();
  private static final JsonName ALLOWED = JsonName.of("allowed");
  private static final JsonName RULE = JsonName.of("rule");
  private static final JsonName LIMIT = JsonName.of("limit");
  private static final JsonName REMAINING = JsonName.of("remaining");
  private static final JsonName RETRY = JsonName.of("retryAfterMs");
  private static final JsonName RESET = JsonName.of("resetAfterMs");
  private static final JsonName DELAY = JsonName.of("delayMs");
  private static final JsonName SOURCE = JsonName.of("source");
  private static final JsonName VIOLATED = JsonName.of("violated");
  private static final JsonName LIMITS = JsonName.of("limits");
  private static final JsonName NAME = JsonName.of("name");
  private static final JsonName ALGORITHM = JsonName.of("algorithm");

  private String rule = "per-user";
  private String algorithm = "token-bucket";
  private String source = "store";
  private long limit = 100;
  private long reset = 60_000;
  private long remaining;

  @Setup
  public void setUp() throws IOException {
    for (var other : List.of(generator(), byHand())) {
      if (!writer().equals(other)) {
        throw new IllegalStateException("%s is not %s".formatted(writer(), other));
      }
    }
  }

  @Benchmark
  public Buffer writer() {
    var out = new JsonWriter().begin();
    out.name(ALLOWED).value(true).name(RULE).value(rule).name(LIMIT).value(limit);
    out.name(REMAINING).value(remaining).name(RETRY).value(0);
    out.name(RESET).value(reset).name(DELAY).value(0).name(SOURCE).value(source);
    out.name(VIOLATED).beginList().endList().name(LIMITS).beginList().begin();
    out.name(RULE).value(rule).name(NAME).value(rule).name(ALGORITHM).value(algorithm);
    out.name(LIMIT).value(limit).name(REMAINING).value(remaining);
    out.name(RESET).value(reset).end().endList().end();
    return out.buffer();
  }

  @Benchmark
  public Buffer generator() throws IOException {
    var bytes = Unpooled.buffer(512);
    try (var out = FACTORY.createGenerator((OutputStream) new ByteBufOutputStream(bytes))) {
      out.writeStartObject();
      out.writeBooleanField("allowed", true);
      out.writeStringField("rule", rule);
      out.writeNumberField("limit", limit);
      out.writeNumberField("remaining", remaining);
      out.writeNumberField("retryAfterMs", 0);
      out.writeNumberField("resetAfterMs", reset);
      out.writeNumberField("delayMs", 0);
      out.writeStringField("source", source);
      out.writeArrayFieldStart("violated");
      out.writeEndArray();
      out.writeArrayFieldStart("limits");
      out.writeStartObject();
      out.writeStringField("rule", rule);
      out.writeStringField("name", rule);
      out.writeStringField("algorithm", algorithm);
      out.writeNumberField("limit", limit);
      out.writeNumberField("remaining", remaining);
      out.writeNumberField("resetAfterMs", reset);
      out.writeEndObject();
      out.writeEndArray();
      out.writeEndObject();
    }
    return BufferInternal.buffer(bytes);
  }

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
