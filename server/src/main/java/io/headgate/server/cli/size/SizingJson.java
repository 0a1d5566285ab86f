package io.headgate.server.cli.size;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.headgate.server.store.LayoutCounts;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** Formats a result as one JSON object. */
public final class SizingJson {
  private SizingJson() {}

  /**
   * Returns the object, with numbers in bytes, microseconds and units per second.
   *
   * @param rules the name of the rule file
   */
  public static String of(Sizing sizing, String rules) {
    var text = new StringWriter();
    try (var out = new JsonFactory().createGenerator(text)) {
      out.writeStartObject();
      out.writeStringField("store", sizing.request().store().label());
      if (sizing.request().store() == SizedStore.REDIS) {
        out.writeStringField("layout", LayoutCounts.word(sizing.request().layout()));
      }
      out.writeNumberField("callers", sizing.request().callers());
      out.writeNumberField("instances", sizing.request().instances());
      out.writeArrayFieldStart("limits");
      for (var counter : sizing.counters()) {
        out.writeStartObject();
        out.writeStringField("limit", counter.policy());
        out.writeStringField("algorithm", counter.algorithm());
        whole(out, "keys", counter.keys());
        whole(out, "keyBytes", counter.keyBytes());
        whole(out, "bytes", counter.bytes());
        out.writeEndObject();
      }
      out.writeEndArray();
      whole(out, "keys", sizing.keys());
      whole(out, "bytes", sizing.stateBytes());
      whole(out, "heapBytes", sizing.heapBytes());
      out.writeNumberField("coresPerInstance", sizing.cores());
      if (sizing.request().store() == SizedStore.MEMORY) {
        out.writeNumberField("maxKeys", sizing.maxKeys());
      }
      if (sizing.request().store() == SizedStore.REDIS) redis(out, sizing.redis());
      strings(out, "notes", sizing.notes());
      strings(out, "commands", SizingAdvice.of(sizing, rules));
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void redis(JsonGenerator out, Sizing.RedisNeeds redis) throws IOException {
    out.writeObjectFieldStart("redis");
    whole(out, "maxMemory", redis.maxMemory());
    out.writeNumberField("microsPerCheck", redis.micros());
    out.writeNumberField("cores", redis.cores());
    out.writeNumberField("primaries", redis.primaries());
    whole(out, "networkBytesPerSecond", redis.networkBytes());
    if (redis.primaries() == 1) out.writeNumberField("connections", redis.connections());
    out.writeEndObject();
  }

  private static void strings(JsonGenerator out, String name, Iterable<String> texts)
      throws IOException {
    out.writeArrayFieldStart(name);
    for (var text : texts) out.writeString(text);
    out.writeEndArray();
  }

  private static void whole(JsonGenerator out, String name, double value) throws IOException {
    out.writeNumberField(name, Math.round(value));
  }
}
