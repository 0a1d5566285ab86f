package io.headgate.server.cli.output;

/**
 * Makes text from a service or a file safe to print on a terminal. Escapes control and format
 * characters, which could move the cursor, change the title or reverse lines.
 */
public final class Printable {
  /** Escapes text for a single line. */
  public static String of(String text) {
    return escaped(text, false);
  }

  /**
   * Escapes text but keeps line ends and tabs. JSON and YAML keep their meaning: both allow the
   * escaped characters within quotes only, where the escapes are equivalent.
   */
  public static String lines(String text) {
    return escaped(text, true);
  }

  private static String escaped(String text, boolean lines) {
    StringBuilder safe = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean harmless = isHarmless(c) || (lines && (c == '\n' || c == '\t'));
      if (harmless && safe == null) continue;
      if (safe == null) safe = new StringBuilder(text.substring(0, i));
      if (harmless) safe.append(c);
      else if (!lines || !text.startsWith("\r\n", i)) safe.append("\\u%04x".formatted((int) c));
    }
    return safe == null ? text : safe.toString();
  }

  private static boolean isHarmless(char c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  private Printable() {}
}
