package io.headgate.rulefile;

/** A value in quotes, as messages show it: on one line, and not longer than it helps. */
final class Excerpt {
  private static final int LONGEST = 60;

  static String of(String text) {
    return "'" + shown(text) + "'";
  }

  /** Without the quotes. */
  static String shown(String text) {
    return shown(text, LONGEST);
  }

  static String shown(String text, int longest) {
    int end = Math.min(text.length(), longest);
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
