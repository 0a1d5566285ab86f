package io.headgate.server.stats;

import io.headgate.load.SignalKind;
import java.util.Locale;

/**
 * A change that a rule made because of the load of a backend: it began or ended to drop requests,
 * or its rate changed by a tenth or more.
 *
 * @param atMillis when it happened
 * @param rule the id of the rule
 * @param backend the values of the rule's {@code per} attributes; empty if the rule has one level
 * @param change what changed
 * @param before the rate per second, or the share of the requests that was dropped
 * @param after the value from then on
 * @param signal the figure that the rule follows
 * @param value the figure as it was combined of all reporters
 * @param target the target of the figure
 * @param cause why the value changed
 * @param isShadow whether the rule is in shadow mode, so that it shows the change only
 */
public record LoadEvent(
    long atMillis,
    String rule,
    String backend,
    Change change,
    double before,
    double after,
    SignalKind signal,
    double value,
    double target,
    Cause cause,
    boolean isShadow) {
  /** What changed. */
  public enum Change {
    /** The rate of a limit. */
    RATE,
    /** The share of the requests that is dropped: from 0, or to 0. */
    SHEDDING
  }

  /** Why it changed. */
  public enum Cause {
    /** The figure is above its target. */
    ABOVE_TARGET,
    /** The figure is at or below its target. */
    BELOW_TARGET,
    /** The backend no longer reports. */
    NO_REPORTS,
    /** The rule has a pinned rate. */
    PINNED
  }

  /** Returns the cause as a sentence without its full stop. */
  public String reason() {
    return switch (cause) {
      case ABOVE_TARGET ->
          "%s %s is above its target of %s".formatted(figure(), text(value), text(target));
      case BELOW_TARGET ->
          "%s %s is not above its target of %s".formatted(figure(), text(value), text(target));
      case NO_REPORTS -> "the backend no longer reports its %s".formatted(figure());
      case PINNED -> "the rate is pinned";
    };
  }

  private String figure() {
    return name(signal).replace('-', ' ');
  }

  private String text(double figure) {
    if (signal.isShare()) return String.format(Locale.ROOT, "%.3f", figure);
    return String.format(Locale.ROOT, "%.1f ms", figure);
  }

  /** Returns the name of a signal in rules and in JSON. */
  public static String name(SignalKind signal) {
    return signal.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
