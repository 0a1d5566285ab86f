package io.headgate.server.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A reply of the service, to be shown in part. What is not there is {@link Nothing}. Names and
 * texts are {@link Printable}, so that no command can forget to make them so.
 */
public sealed interface JsonReply {
  record Text(String text) implements JsonReply {}

  record Whole(long number) implements JsonReply {}

  record Truth(boolean value) implements JsonReply {}

  record Items(List<JsonReply> all) implements JsonReply {}

  record Members(Map<String, JsonReply> all) implements JsonReply {}

  record Nothing() implements JsonReply {}

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
      case VALUE_TRUE, VALUE_FALSE -> new Truth(parser.getBooleanValue());
      default -> new Nothing();
    };
  }

  default JsonReply at(String name) {
    return this instanceof Members(var all) ? all.getOrDefault(name, new Nothing()) : new Nothing();
  }

  default boolean isThere() {
    return !(this instanceof Nothing);
  }

  default String text() {
    return this instanceof Text(var text) ? text : "";
  }

  default long number() {
    return this instanceof Whole(var number) ? number : 0;
  }

  default boolean isTrue() {
    return this instanceof Truth(var value) && value;
  }

  default List<JsonReply> items() {
    return this instanceof Items(var all) ? all : List.of();
  }

  default List<String> texts() {
    return items().stream().map(JsonReply::text).toList();
  }
}
