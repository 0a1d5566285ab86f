package io.headgate.server.metrics;

import io.headgate.CheckResult;
import io.headgate.Decision;
import java.util.Locale;

/** The decision on a request, as the value of the {@code outcome} label. */
enum DecisionLabel {
  ALLOWED,
  DENIED,
  DELAYED,
  IMPOSSIBLE;

  private final String label = name().toLowerCase(Locale.ROOT);

  String label() {
    return label;
  }

  static DecisionLabel of(CheckResult result) {
    if (result.isAllowed()) return result.delay().isZero() ? ALLOWED : DELAYED;
    return result.decision() instanceof Decision.Impossible ? IMPOSSIBLE : DENIED;
  }
}
