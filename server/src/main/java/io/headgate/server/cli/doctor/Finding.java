package io.headgate.server.cli.doctor;

import java.util.Optional;

/**
 * The result of one check.
 *
 * @param topic what was checked, in one or two words
 * @param text what was found
 * @param advice what to do about it
 */
public record Finding(Level level, String topic, String text, Optional<String> advice) {
  /** How serious a finding is. */
  public enum Level {
    /** Nothing to do. */
    OK,
    /** The service works, but not as well or as safely as it could. */
    WARNING,
    /** The service does not start, or does not do what its rules say. */
    PROBLEM
  }

  /** Creates a finding without advice. */
  public static Finding ok(String topic, String text) {
    return new Finding(Level.OK, topic, text, Optional.empty());
  }

  /** Creates a warning. */
  public static Finding warning(String topic, String text, String advice) {
    return new Finding(Level.WARNING, topic, text, Optional.of(advice));
  }

  /** Creates a problem. */
  public static Finding problem(String topic, String text, String advice) {
    return new Finding(Level.PROBLEM, topic, text, Optional.of(advice));
  }
}
