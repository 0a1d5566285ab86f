package io.headgate.rulefile;

/** Where something begins in a text; both from 1. */
record SourcePosition(int line, int column) {
  static final SourcePosition START = new SourcePosition(1, 1);

  /**
   * This place in a text of which the one it was found in is a part that begins at {@code start}.
   */
  SourcePosition from(SourcePosition start) {
    return line == 1
        ? new SourcePosition(start.line, start.column + column - 1)
        : new SourcePosition(start.line + line - 1, column);
  }

  /** The place after {@code text}, as an editor counts it: by code points. */
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
