package io.headgate.server.cli.options;

import java.util.Map;
import java.util.Optional;

/** The former names of options. They are rejected with a message that has the current name. */
public final class RenamedOptions {
  private static final Map<String, String> CURRENT_NAMES =
      Map.of(
          "report-every", "sync-interval",
          "traces", "otlp-endpoint",
          "shutdown-notice", "drain-delay");

  /**
   * Returns the current name of an option.
   *
   * @param name a former name, without dashes
   * @return empty if no option had this name
   */
  static Optional<String> currentName(String name) {
    return Optional.ofNullable(CURRENT_NAMES.get(name));
  }

  /** Returns the former name of an option; empty if it was not renamed. */
  static Optional<String> formerName(String name) {
    return CURRENT_NAMES.entrySet().stream()
        .filter(renamed -> renamed.getValue().equals(name))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /**
   * Returns the current name of an option on the command line, with dashes.
   *
   * @param argument an argument such as {@code --traces} or {@code --traces=URL}
   * @return empty if the argument is not the former name of an option
   */
  public static Optional<String> currentFlag(String argument) {
    if (!argument.startsWith("--")) return Optional.empty();
    int end = argument.indexOf('=');
    String name = argument.substring(2, end < 0 ? argument.length() : end);
    return currentName(name).map(current -> "--" + current);
  }

  private RenamedOptions() {}
}
