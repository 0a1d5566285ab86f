package io.headgate.server;

import io.headgate.limit.Tuning;
import io.headgate.server.callers.CallerMask;
import io.headgate.store.BackendLevel;
import io.headgate.store.LevelListener;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs when a rule begins to drop requests of a backend and when it ends, and writes changes of
 * tuned rates to the audit log, with the signal that caused it. Thread-safe.
 */
final class ShedLog implements LevelListener {
  private static final Logger LOG = LoggerFactory.getLogger(ShedLog.class);
  private static final Logger AUDIT = LoggerFactory.getLogger("io.headgate.audit");

  private final CallerMask mask;

  /**
   * @param mask how the values of attributes are shown
   */
  ShedLog(CallerMask mask) {
    this.mask = mask;
  }

  @Override
  public void onChange(BackendLevel level) {
    String of = level.backend().isEmpty() ? "" : " of " + mask.value(level.backend());
    if (level.tuned().isPresent()) {
      AUDIT.info(
          "tuning: rule {} limits the requests{} to {} permits per second: signal {} of {} reporter(s)",
          level.rule(),
          of,
          String.format(Locale.ROOT, "%.1f", Tuning.perSecond(level.tuned().get().rate())),
          String.format(Locale.ROOT, "%.3f", level.value()),
          level.reporters());
      return;
    }
    if (level.level() > 0) {
      LOG.warn(
          "rule {} drops {}% of the requests{}: signal {} of {} reporter(s)",
          level.rule(),
          String.format(Locale.ROOT, "%.1f", level.level() * 100),
          of,
          String.format(Locale.ROOT, "%.3f", level.value()),
          level.reporters());
    } else {
      LOG.info("rule {} no longer drops requests{}", level.rule(), of);
    }
  }
}
