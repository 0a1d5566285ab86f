package io.headgate.rulefile;

import org.jspecify.annotations.Nullable;

/** What the parser says, and what writers of rules most often meant. */
final class SyntaxMessage {
  /**
   * @param context what the parser was doing, such as "while scanning an alias"
   * @param problem what it met
   */
  static String of(@Nullable String context, String problem) {
    String doing = context == null ? "" : context;
    return "this is neither YAML nor JSON: %s%s%s"
        .formatted(doing.isEmpty() ? "" : doing + ", ", problem.strip(), hint(doing, problem));
  }

  static boolean isUnclosed(String problem) {
    return problem.contains("stream end") || problem.contains("end of stream");
  }

  private static String hint(String doing, String problem) {
    if (isUnclosed(problem)) return "; what begins here is never closed";
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
