package io.headgate.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A logback appender that forwards at most five warnings and errors of a kind in ten seconds, so
 * that clients that cause errors can't fill the disk. The number of suppressed lines is logged
 * before the first line after those ten seconds. The kind is the logger together with the type of
 * the exception, or with the message if there is no exception. Thread-safe, like its base class.
 */
public final class RepeatLimitingAppender extends AppenderBase<ILoggingEvent>
    implements AppenderAttachable<ILoggingEvent> {
  static final int MAX_LINES = 5;
  static final long WINDOW_MILLIS = TimeUnit.SECONDS.toMillis(10);

  /** Messages may contain client input, so the number of kinds is bounded. */
  static final int MAX_KINDS = 100;

  private static final String OTHERS = "other loggers";

  private static final class Count {
    long lines;
  }

  private final AppenderAttachableImpl<ILoggingEvent> next = new AppenderAttachableImpl<>();
  private final Map<String, Count> counts = new LinkedHashMap<>();
  private long since;

  @Override
  protected void append(ILoggingEvent event) {
    long now = event.getTimeStamp();
    if (now - since >= WINDOW_MILLIS || now < since) {
      report(now);
      since = now;
    }
    if (!event.getLevel().isGreaterOrEqual(Level.WARN) || isAllowed(event)) {
      next.appendLoopOnAppenders(event);
    }
  }

  private boolean isAllowed(ILoggingEvent event) {
    String kind = kind(event);
    if (counts.size() >= MAX_KINDS && !counts.containsKey(kind)) kind = OTHERS;
    return ++counts.computeIfAbsent(kind, name -> new Count()).lines <= MAX_LINES;
  }

  private static String kind(ILoggingEvent event) {
    var thrown = event.getThrowableProxy();
    String name = event.getLoggerName();
    return thrown != null ? name + ": " + thrown.getClassName() : name + ": " + event.getMessage();
  }

  private void report(long now) {
    counts.forEach((kind, count) -> {
      if (count.lines > MAX_LINES)
        next.appendLoopOnAppenders(summary(kind, count.lines - MAX_LINES, now));
    });
    counts.clear();
  }

  private ILoggingEvent summary(String kind, long more, long now) {
    var logger = ((LoggerContext) getContext()).getLogger(Logger.ROOT_LOGGER_NAME);
    var event =
        new LoggingEvent(
            RepeatLimitingAppender.class.getName(),
            logger,
            Level.WARN,
            "suppressed {} more lines of this kind: {}",
            null,
            new Object[] {more, kind});
    event.setTimeStamp(now);
    return event;
  }

  @Override
  public void stop() {
    if (isStarted()) report(since);
    super.stop();
    next.detachAndStopAllAppenders();
  }

  @Override
  public void addAppender(Appender<ILoggingEvent> appender) {
    next.addAppender(appender);
  }

  @Override
  public Iterator<Appender<ILoggingEvent>> iteratorForAppenders() {
    return next.iteratorForAppenders();
  }

  @Override
  public @Nullable Appender<ILoggingEvent> getAppender(String name) {
    return next.getAppender(name);
  }

  @Override
  public boolean isAttached(Appender<ILoggingEvent> appender) {
    return next.isAttached(appender);
  }

  @Override
  public void detachAndStopAllAppenders() {
    next.detachAndStopAllAppenders();
  }

  @Override
  public boolean detachAppender(Appender<ILoggingEvent> appender) {
    return next.detachAppender(appender);
  }

  @Override
  public boolean detachAppender(String name) {
    return next.detachAppender(name);
  }
}
