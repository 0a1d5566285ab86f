package io.headgate.rulefile;

/**
 * Quotes a value for a message: on one line, truncated, with control and format characters escaped.
 */
final class Excerpt {
  private static final int MAX_LENGTH = 60;

  /** Returns at most 60 characters of the text, escaped, in single quotes. */
  static String of(String text) {
    return "'" + shown(text) + "'";
  }

  /** Returns the excerpt without quotes. */
  static String shown(String text) {
    return shown(text, MAX_LENGTH);
  }

  /** Returns at most {@code maxLength} characters of the text, escaped, without quotes. */
  static String shown(String text, int maxLength) {
    int end = Math.min(text.length(), maxLength);
    var shown = new StringBuilder(end);
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      boolean cut = Character.isHighSurrogate(c) && i + 1 == end;
      if (isShown(c) && !cut) shown.append(c);
      else shown.append("\\u%04x".formatted((int) c));
    }
    if (end < text.length()) shown.append('…');
    return shown.toString();
  }

  private static boolean isShown(int c) {
    return !Character.isISOControl(c)
        && Character.getType(c) != Character.FORMAT
        && c != '\u2028'
        && c != '\u2029';
  }

  private Excerpt() {}
}
