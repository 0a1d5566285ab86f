package io.headgate.server.store;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Forwards the log of the cluster store, which uses the JDK's, to that of the service. */
final class MemberLog extends Handler {
  private static final String NAME = "io.headgate.cluster";

  /** Keeps the handler, which the JDK would otherwise forget with its logger. */
  private static final java.util.logging.Logger SOURCE = java.util.logging.Logger.getLogger(NAME);

  private final Logger log = LoggerFactory.getLogger(NAME);

  /** Forwards from now on. */
  static synchronized void install() {
    if (!SOURCE.getUseParentHandlers()) return;
    SOURCE.setUseParentHandlers(false);
    SOURCE.addHandler(new MemberLog());
  }

  @Override
  public void publish(LogRecord message) {
    // A message of the grid may have many lines, of which the first says what happened.
    var text = String.valueOf(message.getMessage()).lines().findFirst().orElse("");
    int level = message.getLevel().intValue();
    if (level >= Level.WARNING.intValue()) log.warn("{}", text, message.getThrown());
    else if (level >= Level.INFO.intValue()) log.info("{}", text);
    else log.debug("{}", text);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
