package io.headgate.server.simulation.accesslog;

import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A template of an attribute's value: a field, as in {@code user}, or a text with fields, as in
 * {@code user:{user}}. If one of its fields is missing, there is no value.
 */
final class FieldTemplate {
  private record Piece(String text, int slot) {}

  private final List<Piece> pieces;

  private FieldTemplate(List<Piece> pieces) {
    this.pieces = pieces;
  }

  static FieldTemplate of(String text, FieldSlots slots) {
    if (text.isEmpty()) throw invalid(text, "is empty");
    if (text.length() > Subject.MAX_VALUE_LENGTH) {
      throw new IllegalArgumentException(
          "a template of %d characters is too long; the maximum is %d"
              .formatted(text.length(), Subject.MAX_VALUE_LENGTH));
    }
    if (!text.contains("{") && !text.contains("}")) return field(text, slots);
    var pieces = new ArrayList<Piece>();
    int at = 0;
    for (int open = text.indexOf('{'); open >= 0; open = text.indexOf('{', at)) {
      if (text.substring(at, open).contains("}")) throw unopenedBrace(text);
      int close = text.indexOf('}', open);
      if (close < 0) throw invalid(text, "has a { that is not closed");
      if (close == open + 1) throw invalid(text, "names no field in {}");
      pieces.add(
          new Piece(text.substring(at, open), slots.require(text.substring(open + 1, close))));
      at = close + 1;
    }
    if (text.indexOf('}', at) >= 0) throw unopenedBrace(text);
    pieces.add(new Piece(text.substring(at), -1));
    return new FieldTemplate(pieces);
  }

  static FieldTemplate field(String name, FieldSlots slots) {
    return new FieldTemplate(List.of(new Piece("", slots.require(name))));
  }

  private static IllegalArgumentException unopenedBrace(String text) {
    return invalid(text, "has a } without a {");
  }

  private static IllegalArgumentException invalid(String text, String problem) {
    return new IllegalArgumentException(
        "'%s' %s; use a field such as user, or a text with fields such as user:{user}"
            .formatted(text, problem));
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

  /**
   * Appends unless the value is already too long for an attribute and will be truncated, since a
   * repeated field adds up.
   */
  private static void append(StringBuilder value, String text) {
    if (value.length() <= Subject.MAX_VALUE_LENGTH) value.append(text);
  }
}
