package io.headgate.server;

import io.headgate.server.store.LayoutCounts;
import io.headgate.server.store.StoreView;
import java.util.OptionalLong;
import org.slf4j.Logger;

/**
 * Logs that instances with the same keys have different layouts, so that they count separately and
 * admit more than the limit. One warning when this has lasted for {@link #GRACE_MILLIS}, then one
 * every ten minutes, and one line at the end.
 *
 * <p>Confined to the thread of the statistics.
 */
final class LayoutLog {
  /**
   * Longer than Redis counts an instance that has ended, so that a restart with another layout is
   * not logged.
   */
  static final long GRACE_MILLIS = 15_000;

  static final long INTERVAL_MILLIS = 600_000;

  private final StoreView store;
  private final Logger log;
  private OptionalLong nextMillis = OptionalLong.empty(); // of a warning; empty while all agree
  private boolean logged;

  LayoutLog(StoreView store, Logger log) {
    this.store = store;
    this.log = log;
  }

  /**
   * Handles the counts of one second.
   *
   * @param nowMillis the end of the second
   */
  void onSecond(long nowMillis, LayoutCounts layouts) {
    if (!layouts.isMixed()) {
      if (logged) log.info("all instances of {} have the same layout of keys again", name());
      logged = false;
      nextMillis = OptionalLong.empty();
      return;
    }
    if (nextMillis.isEmpty()) nextMillis = OptionalLong.of(nowMillis + GRACE_MILLIS);
    if (nowMillis < nextMillis.getAsLong()) return;
    nextMillis = OptionalLong.of(nowMillis + INTERVAL_MILLIS);
    logged = true;
    log.warn(
        "instances of {} have different layouts of keys ({}). They count rules with several limits"
            + " separately, and admit up to twice the limit together. Restart all with the same"
            + " --store-layout{}",
        name(),
        layouts.text(),
        store
            .layout()
            .map(own -> "; that of this instance is " + LayoutCounts.word(own))
            .orElse(""));
  }

  private String name() {
    return store.address().orElse("the store");
  }
}
