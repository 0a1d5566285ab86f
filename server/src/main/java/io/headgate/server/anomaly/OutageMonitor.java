package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Kind;
import io.headgate.server.anomaly.Anomaly.Severity;
import io.headgate.server.anomaly.AnomalyLog.Topic;
import java.util.Locale;
import java.util.OptionalDouble;

/** Detects outages of the store, and checks allowed without being counted because of one. */
final class OutageMonitor {
  private static final Topic BREAKER = Topic.of(Kind.BREAKER);
  private static final Topic FAIL_OPEN = Topic.of(Kind.FAIL_OPEN);

  private final Hysteresis outage = new Hysteresis(1, 5);
  private final Hysteresis failOpen = new Hysteresis(1, 30);

  /**
   * Processes one second, since outages should be reported without delay.
   *
   * @param uncounted number of checks allowed without being counted since the last step
   */
  void step(long second, boolean unavailable, long uncounted, AnomalyLog log) {
    if (outage.step(unavailable, !unavailable)) {
      if (outage.isOpen()) {
        log.open(
            BREAKER,
            Severity.CRITICAL,
            second,
            1,
            OptionalDouble.empty(),
            "the store is unavailable; decisions use each rule's on-store-failure policy");
      } else {
        log.end(BREAKER, second);
      }
    }
    if (!failOpen.step(uncounted > 0, uncounted == 0)) return;
    if (!failOpen.isOpen()) {
      log.end(FAIL_OPEN, second);
      return;
    }
    log.open(
        FAIL_OPEN,
        Severity.CRITICAL,
        second,
        (double) uncounted,
        OptionalDouble.of(0),
        String.format(
            Locale.ROOT,
            "%d checks in one second were allowed without being counted, because the store is"
                + " unavailable (on-store-failure)",
            uncounted));
  }
}
