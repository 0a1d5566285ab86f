package io.headgate.spring;

import io.headgate.CheckResult;
import io.headgate.Decision;
import java.util.Locale;

/** The label {@code outcome} of a decision in metrics and observations, as the service has it. */
public enum OutcomeLabel {
  ALLOWED,
  DENIED,
  DELAYED,
  IMPOSSIBLE;

  private final String text = name().toLowerCase(Locale.ROOT);

  /** Returns the label of a result. */
  public static OutcomeLabel of(CheckResult result) {
    if (result.isAllowed()) return result.delay().isZero() ? ALLOWED : DELAYED;
    return result.decision() instanceof Decision.Impossible ? IMPOSSIBLE : DENIED;
  }

  /** Returns the value of the label. */
  public String text() {
    return text;
  }
}
