package io.headgate.rulefile;

/** A position in a text; line and column count from 1. */
record SourcePosition(int line, int column) {
  static final SourcePosition START = new SourcePosition(1, 1);

  /**
   * Converts this position in an excerpt to the position in the whole text.
   *
   * @param start the position of the excerpt in the whole text
   */
  SourcePosition from(SourcePosition start) {
    return line == 1
        ? new SourcePosition(start.line, start.column + column - 1)
        : new SourcePosition(start.line + line - 1, column);
  }

  /** Returns the position after {@code text}; columns count code points, as in an editor. */
  static SourcePosition after(CharSequence text) {
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean crlf = c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
      if (c == '\n' || (c == '\r' && !crlf)) {
        line++;
        lineStart = i + 1;
      }
    }
    return new SourcePosition(line, Character.codePointCount(text, lineStart, text.length()) + 1);
  }
}
