package io.headgate.server.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A JSON value of a response. Absent members are {@link Nothing}. Names and strings are escaped
 * with {@link Printable} when they are read, so that they are safe to print.
 */
public sealed interface JsonReply {
  record Text(String text) implements JsonReply {}

  record Whole(long number) implements JsonReply {}

  record Fraction(double value) implements JsonReply {}

  record Truth(boolean value) implements JsonReply {}

  record Items(List<JsonReply> all) implements JsonReply {}

  record Members(Map<String, JsonReply> all) implements JsonReply {}

  record Nothing() implements JsonReply {}

  /**
   * Parses a JSON text.
   *
   * @throws IOException if it is not valid JSON
   */
  static JsonReply read(String text) throws IOException {
    try (var parser = new JsonFactory().createParser(text)) {
      parser.nextToken();
      return read(parser);
    }
  }

  private static JsonReply read(JsonParser parser) throws IOException {
    if (parser.currentToken() == null) return new Nothing();
    return switch (parser.currentToken()) {
      case START_OBJECT -> {
        var all = new LinkedHashMap<String, JsonReply>();
        for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
          parser.nextToken();
          all.put(Printable.of(name), read(parser));
        }
        yield new Members(all);
      }
      case START_ARRAY -> {
        var all = new ArrayList<JsonReply>();
        while (!parser.nextToken().isStructEnd()) all.add(read(parser));
        yield new Items(all);
      }
      case VALUE_STRING -> new Text(Printable.of(parser.getText()));
      case VALUE_NUMBER_INT -> new Whole(parser.getLongValue());
      case VALUE_NUMBER_FLOAT -> new Fraction(parser.getDoubleValue());
      case VALUE_TRUE, VALUE_FALSE -> new Truth(parser.getBooleanValue());
      default -> new Nothing();
    };
  }

  /** Returns a member of an object; {@link Nothing} if there is none or this is no object. */
  default JsonReply at(String name) {
    return this instanceof Members(var all) ? all.getOrDefault(name, new Nothing()) : new Nothing();
  }

  /** Returns whether the value is present; JSON null counts as absent. */
  default boolean isPresent() {
    return !(this instanceof Nothing);
  }

  /** Returns the string; empty if this is none. */
  default String text() {
    return this instanceof Text(var text) ? text : "";
  }

  /** Returns the string; absent if this is none or empty. */
  default Optional<String> optionalText() {
    return Optional.of(text()).filter(text -> !text.isEmpty());
  }

  /** Returns the number, whole or not; 0 if this is none. */
  default double decimal() {
    return this instanceof Fraction(var value) ? value : number();
  }

  /** Returns the integer; 0 if this is none. */
  default long number() {
    return this instanceof Whole(var number) ? number : 0;
  }

  /** Returns whether this is the value true. */
  default boolean isTrue() {
    return this instanceof Truth(var value) && value;
  }

  /** Returns the elements of an array; empty if this is none. */
  default List<JsonReply> items() {
    return this instanceof Items(var all) ? all : List.of();
  }

  /** Returns the elements of an array as strings. */
  default List<String> texts() {
    return items().stream().map(JsonReply::text).toList();
  }
}
