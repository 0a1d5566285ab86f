package io.headgate.server.anomaly;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Something that is not as usual.
 *
 * @param id of this occurrence; the same when it opens and when it ends
 * @param expected what would be usual, if that is known
 * @param text for people
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

  /** What is unusual. */
  public enum Kind {
    RATE("rate"),
    DENIALS("denials"),
    NEW_CALLER("new-caller"),
    FAIL_OPEN("fail-open"),
    BREAKER("breaker");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** How much it matters. */
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

  public boolean isOpen() {
    return untilMillis.isEmpty();
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
