package io.headgate.server.anomaly;

import io.headgate.server.callers.CallerMask;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A deviation from the usual behaviour, found by {@link AnomalyDetector}. Immutable.
 *
 * @param id identifies the occurrence; the same when it opens and when it ends
 * @param untilMillis when it ended, empty while it is open
 * @param value the measured value
 * @param expected the usual value, if known
 * @param text description for display
 */
public record Anomaly(
    String id,
    Kind kind,
    Severity severity,
    long sinceMillis,
    OptionalLong untilMillis,
    Optional<String> rule,
    Optional<String> caller,
    double value,
    OptionalDouble expected,
    String text) {

  /** The beginning of the text of a new caller; its name follows. */
  static final String NEW_CALLER_TEXT = "new caller ";

  /** What deviates. */
  public enum Kind {
    RATE("rate"),
    DENIALS("denials"),
    NEW_CALLER("new-caller"),
    FAIL_OPEN("fail-open"),
    BREAKER("breaker"),
    OVERLOAD("overload");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** How severe an anomaly is. */
  public enum Severity {
    INFO("info"),
    WARNING("warning"),
    CRITICAL("critical");

    private final String text;

    Severity(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Returns whether it has not ended yet. */
  public boolean isOpen() {
    return untilMillis.isEmpty();
  }

  /** Returns this anomaly with the caller in its shown form, in the text as well. */
  public Anomaly masked(CallerMask mask) {
    if (caller.isEmpty() || !mask.isActive()) return this;
    String shown = mask.name(caller.get());
    return new Anomaly(
        id,
        kind,
        severity,
        sinceMillis,
        untilMillis,
        rule,
        Optional.of(shown),
        value,
        expected,
        maskedText(caller.get(), shown));
  }

  /** Replaces the name where it is in the text; a short name may also be part of other words. */
  private String maskedText(String name, String shown) {
    int at = kind == Kind.NEW_CALLER ? NEW_CALLER_TEXT.length() : 0;
    return text.startsWith(name, at)
        ? text.substring(0, at) + shown + text.substring(at + name.length())
        : text.replace(name, shown);
  }

  Anomaly endedAt(long millis) {
    return new Anomaly(
        id,
        kind,
        severity,
        sinceMillis,
        OptionalLong.of(millis),
        rule,
        caller,
        value,
        expected,
        text);
  }
}
