package io.headgate.server.log;

import io.headgate.server.api.JsonWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;

/** Writes a line of the log as one JSON object: time, level, logger, message and further fields. */
public final class JsonLogLine {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /**
   * Returns a line without its line separator.
   *
   * @param time written in ISO 8601, in UTC
   * @param fields written as strings, in their order
   */
  public static String of(
      Instant time, String level, String logger, String message, Map<String, ?> fields) {
    var out = new JsonWriter().begin();
    out.name("time").value(TIME.format(time));
    out.name("level").value(level);
    out.name("logger").value(logger);
    out.name("message").value(message);
    fields.forEach((name, value) -> out.member(name, String.valueOf(value)));
    return out.end().toString();
  }

  private JsonLogLine() {}
}
