package io.headgate.rulefile;

import org.jspecify.annotations.Nullable;

/** Formats the YAML parser's errors, with a hint for the most common mistakes. */
final class SyntaxMessage {
  /**
   * Returns the message for an error.
   *
   * @param context the parser's activity, such as "while scanning an alias"
   * @param problem the error
   */
  static String of(@Nullable String context, String problem) {
    String doing = context == null ? "" : context;
    return "this is neither YAML nor JSON: %s%s%s"
        .formatted(doing.isEmpty() ? "" : doing + ", ", problem.strip(), hint(doing, problem));
  }

  /** Returns whether the text ended inside a bracket or quote. */
  static boolean isUnclosed(String problem) {
    return problem.contains("stream end") || problem.contains("end of stream");
  }

  private static String hint(String doing, String problem) {
    if (isUnclosed(problem)) return "; the bracket or quote that begins here is never closed";
    if (doing.contains("alias")) return "; quote a pattern that begins with *, such as \"*\"";
    if (problem.contains("TAB")) return "; indent with spaces";
    if (problem.contains("cannot start any token") || problem.contains("but found ':'")) {
      return "; quote a text that begins with such a character";
    }
    if (problem.startsWith("mapping values are not allowed")) {
      return "; look at the indentation, and quote a text that has ': ' in it";
    }
    if (problem.contains("<block end>")) return "; look at the indentation";
    return "";
  }

  private SyntaxMessage() {}
}
