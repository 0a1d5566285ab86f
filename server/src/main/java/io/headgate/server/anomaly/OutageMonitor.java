package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Kind;
import io.headgate.server.anomaly.Anomaly.Severity;
import io.headgate.server.anomaly.AnomalyLog.Matter;
import java.util.Locale;
import java.util.OptionalDouble;

/** Says when the store is away, and when that lets checks pass that nobody counted. */
final class OutageMonitor {
  private static final Matter BREAKER = Matter.of(Kind.BREAKER);
  private static final Matter FAIL_OPEN = Matter.of(Kind.FAIL_OPEN);

  private final Hysteresis away = new Hysteresis(1, 5);
  private final Hysteresis failing = new Hysteresis(1, 30);

  /**
   * Of each second: who is without a store should know at once.
   *
   * @param passed how many checks were allowed that nobody counted, since the step before
   */
  void step(long second, boolean storeAway, long passed, AnomalyLog journal) {
    if (away.step(storeAway, !storeAway)) {
      if (away.isOpen()) {
        journal.open(
            BREAKER,
            Severity.CRITICAL,
            second,
            1,
            OptionalDouble.empty(),
            "the store is away, and the rules' policies decide (on-store-failure)");
      } else {
        journal.end(BREAKER, second);
      }
    }
    if (!failing.step(passed > 0, passed == 0)) return;
    if (!failing.isOpen()) {
      journal.end(FAIL_OPEN, second);
      return;
    }
    journal.open(
        FAIL_OPEN,
        Severity.CRITICAL,
        second,
        (double) passed,
        OptionalDouble.of(0),
        String.format(
            Locale.ROOT,
            "%d checks in a second were allowed by policy, for want of the store: nobody counts",
            passed));
  }
}
