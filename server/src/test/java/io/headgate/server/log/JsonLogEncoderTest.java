package io.headgate.server.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class JsonLogEncoderTest {
  private final JsonLogEncoder encoder = new JsonLogEncoder();

  private static LoggingEvent event(
      String message, @Nullable Throwable thrown, Object... arguments) {
    var logger = new LoggerContext().getLogger("io.headgate.Test");
    var event = new LoggingEvent("x", logger, Level.WARN, message, thrown, arguments);
    event.setTimeStamp(1_789_300_800_000L);
    return event;
  }

  private String encoded(LoggingEvent event) {
    return new String(encoder.encode(event), UTF_8);
  }

  @Test
  void eventIsOneLineWithTimeLevelLoggerMessageAndFields() {
    var event = event("Redis at {}\nis \"away\"", null, "h:1");
    event.setKeyValuePairs(List.of(new KeyValuePair("rules", 3)));
    assertThat(encoded(event))
        .isEqualTo(
            """
            {"time":"2026-09-13T12:00:00.000Z","level":"WARN","logger":"io.headgate.Test",\
            "message":"Redis at h:1\\u000ais \\"away\\"","rules":"3"}
            """);
  }

  @Test
  void stackTraceIsAField() {
    var line = encoded(event("failed", new IllegalStateException("no")));
    assertThat(line)
        .contains("\"error\":\"java.lang.IllegalStateException: no")
        .contains("JsonLogEncoderTest")
        .endsWith("\"}\n");
    assertThat(line.lines()).hasSize(1);
  }
}
