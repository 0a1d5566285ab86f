package io.headgate.server.simulation.accesslog;

import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a value is made of a line: a field's, as in {@code user}, or fields within a text, as in
 * {@code user:{user}}. Where one of its fields is missing, there is no value.
 */
final class FieldTemplate {
  private record Piece(String text, int slot) {}

  private final List<Piece> pieces;

  private FieldTemplate(List<Piece> pieces) {
    this.pieces = pieces;
  }

  static FieldTemplate of(String text, FieldSlots slots) {
    if (text.isEmpty()) throw bad(text, "is empty");
    if (text.length() > Subject.LONGEST_VALUE) {
      throw new IllegalArgumentException(
          "a text of %d characters is too long to make an attribute of; the longest has %d"
              .formatted(text.length(), Subject.LONGEST_VALUE));
    }
    if (!text.contains("{") && !text.contains("}")) return field(text, slots);
    var pieces = new ArrayList<Piece>();
    int at = 0;
    for (int open = text.indexOf('{'); open >= 0; open = text.indexOf('{', at)) {
      if (text.substring(at, open).contains("}")) throw unopened(text);
      int close = text.indexOf('}', open);
      if (close < 0) throw bad(text, "has a { that is not closed");
      if (close == open + 1) throw bad(text, "names no field in {}");
      pieces.add(
          new Piece(text.substring(at, open), slots.wanting(text.substring(open + 1, close))));
      at = close + 1;
    }
    if (text.indexOf('}', at) >= 0) throw unopened(text);
    pieces.add(new Piece(text.substring(at), -1));
    return new FieldTemplate(pieces);
  }

  static FieldTemplate field(String name, FieldSlots slots) {
    return new FieldTemplate(List.of(new Piece("", slots.wanting(name))));
  }

  private static IllegalArgumentException unopened(String text) {
    return bad(text, "has a } that nothing opens");
  }

  private static IllegalArgumentException bad(String text, String flaw) {
    return new IllegalArgumentException(
        "'%s' %s; give a field such as user, or a text with fields such as user:{user}"
            .formatted(text, flaw));
  }

  @Nullable String of(LogLine line) {
    if (pieces.size() == 1) return line.value(pieces.getFirst().slot);
    var value = new StringBuilder();
    for (var piece : pieces) {
      append(value, piece.text);
      if (piece.slot < 0) continue;
      var part = Optional.ofNullable(line.value(piece.slot));
      if (part.isEmpty()) return null;
      append(value, part.get());
    }
    return value.toString();
  }

  /** What is too long for an attribute will be cut: a field that is named often adds up. */
  private static void append(StringBuilder value, String text) {
    if (value.length() <= Subject.LONGEST_VALUE) value.append(text);
  }
}
