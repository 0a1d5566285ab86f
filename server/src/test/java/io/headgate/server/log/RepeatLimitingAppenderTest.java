package io.headgate.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RepeatLimitingAppenderTest {
  private final LoggerContext context = new LoggerContext();
  private final ListAppender<ILoggingEvent> written = new ListAppender<>();
  private final RepeatLimitingAppender appender = new RepeatLimitingAppender();

  @BeforeEach
  void start() {
    written.start();
    appender.setContext(context);
    appender.addAppender(written);
    appender.start();
  }

  private void log(long millis, Level level, String message) {
    var event = new LoggingEvent("here", context.getLogger("a.Logger"), level, message, null, null);
    event.setTimeStamp(millis);
    appender.doAppend(event);
  }

  private List<String> lines() {
    return written.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void repeatedErrorsAreSuppressedAndCounted() {
    for (int i = 0; i < 1_000; i++) log(1_000, Level.ERROR, "broken");
    log(1_000, Level.ERROR, "another");
    assertThat(lines()).hasSize(RepeatLimitingAppender.MAX_LINES + 1).endsWith("another");
    log(1_000 + RepeatLimitingAppender.WINDOW_MILLIS, Level.ERROR, "broken");
    assertThat(lines())
        .hasSize(RepeatLimitingAppender.MAX_LINES + 3)
        .contains("suppressed 995 more lines of this kind: a.Logger: broken")
        .endsWith("broken");
  }

  @Test
  void distinctMessagesAreBounded() {
    for (int i = 0; i < 10_000; i++) log(1_000, Level.WARN, "broken " + i);
    assertThat(lines()).hasSizeLessThan(2 * RepeatLimitingAppender.MAX_KINDS);
  }

  @Test
  void infoIsNotLimited() {
    for (int i = 0; i < 100; i++) log(1_000, Level.INFO, "revision");
    assertThat(lines()).hasSize(100);
  }
}
