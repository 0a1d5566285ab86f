package io.headgate.rulefile;

import java.util.StringJoiner;

/** Prints an {@link OutputNode} as JSON on one line. */
final class JsonPrinter {
  /** Returns the JSON text of a node. */
  static String of(OutputNode tree) {
    return switch (tree) {
      case OutputNode.Text(String text) -> quoted(text);
      case OutputNode.Literal(String text) -> text;
      case OutputNode.Items(var items) -> {
        var list = new StringJoiner(",", "[", "]");
        for (var item : items) list.add(of(item));
        yield list.toString();
      }
      case OutputNode.Fields(var fields) -> {
        var map = new StringJoiner(",", "{", "}");
        fields.forEach((name, value) -> map.add(quoted(name) + ":" + of(value)));
        yield map.toString();
      }
    };
  }

  /** Returns a JSON string. It escapes more than JSON requires, so that it is valid YAML too. */
  static String quoted(String text) {
    var quoted = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> quoted.append("\\\"");
        case '\\' -> quoted.append("\\\\");
        case '\n' -> quoted.append("\\n");
        case '\t' -> quoted.append("\\t");
        default -> {
          if (isPrintable(text, i)) quoted.append(c);
          else quoted.append("\\u%04x".formatted((int) c));
        }
      }
    }
    return quoted.append('"').toString();
  }

  private static boolean isPrintable(String text, int index) {
    char c = text.charAt(index);
    // Escape format characters such as right-to-left overrides, so that they stay visible.
    if (Character.getType(c) == Character.FORMAT) return false;
    if (Character.isHighSurrogate(c)) {
      return index + 1 < text.length() && Character.isLowSurrogate(text.charAt(index + 1));
    }
    if (Character.isLowSurrogate(c)) {
      return index > 0 && Character.isHighSurrogate(text.charAt(index - 1));
    }
    boolean lineBreak = c == '\u2028' || c == '\u2029';
    return !Character.isISOControl(c) && !lineBreak && c < '\ufffe';
  }

  private JsonPrinter() {}
}
