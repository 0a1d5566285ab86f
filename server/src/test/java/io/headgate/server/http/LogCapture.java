package io.headgate.server.http;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Captures the lines of a logger until it is closed. */
public final class LogCapture implements AutoCloseable {
  private final Logger logger;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final @Nullable Level before;
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event.getFormattedMessage());
        }
      };

  /**
   * @param name the name of the logger
   */
  public LogCapture(String name) {
    logger = (Logger) LoggerFactory.getLogger(name);
    before = logger.getLevel();
    appender.setContext(logger.getLoggerContext());
    appender.start();
    logger.addAppender(appender);
  }

  /** Returns the captured lines. */
  public String text() {
    return String.join("\n", lines);
  }

  /** Captures INFO lines as well, which the log configuration of the tests suppresses. */
  public LogCapture withInfo() {
    logger.setLevel(Level.INFO);
    return this;
  }

  @Override
  public void close() {
    logger.setLevel(before);
    logger.detachAppender(appender);
    appender.stop();
  }
}
