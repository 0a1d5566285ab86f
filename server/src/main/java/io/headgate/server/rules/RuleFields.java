package io.headgate.server.rules;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Flattens a rule into the fields of a rule file, each with its path, such as {@code limit.rate}.
 * Fields with their default value are omitted.
 *
 * <p>List items are identified by name or match ({@code limits[calls].rate}, {@code
 * overrides[key=user:42].limit.rate}) rather than by index, so that inserting an item does not
 * rename the others. Where the order of items is significant, it is a field of its own.
 */
final class RuleFields {
  private static final JsonFactory JSON = new JsonFactory();
  private static final String ORDER = " (order)";

  /** Returns the fields of a rule, in the order of a rule file. */
  static Map<String, String> of(Rule rule) {
    try (var parser = JSON.createParser(RuleFile.json(rule))) {
      parser.nextToken();
      var fields = new LinkedHashMap<String, String>();
      flatten("", read(parser), fields);
      fields.remove("id");
      return fields;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads a JSON value as a string, a list or a map, the types the rule writer produces. */
  private static Object read(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> {
        var fields = new LinkedHashMap<String, Object>();
        for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
          parser.nextToken();
          fields.put(name, read(parser));
        }
        yield fields;
      }
      case START_ARRAY -> {
        var items = new ArrayList<Object>();
        while (parser.nextToken() != JsonToken.END_ARRAY) items.add(read(parser));
        yield items;
      }
      default -> parser.getText();
    };
  }

  private static void flatten(String path, Object value, Map<String, String> fields) {
    if (value instanceof Map<?, ?> map) {
      if (map.isEmpty()) fields.put(path, "{}");
      map.forEach(
          (name, inner) -> flatten(path.isEmpty() ? "" + name : path + "." + name, inner, fields));
    } else if (value instanceof List<?> items && items.stream().anyMatch(Map.class::isInstance)) {
      flattenItems(path, items, fields);
    } else {
      fields.put(path, text(value));
    }
  }

  private static void flattenItems(String path, List<?> items, Map<String, String> fields) {
    var seen = new HashMap<String, Integer>();
    var order = new StringJoiner(", ");
    for (var item : items) {
      String name = name(item);
      int count = seen.merge(name, 1, Integer::sum);
      String unique = count == 1 ? name : name + " #" + count;
      order.add(unique);
      flatten(path + "[" + unique + "]", item, fields);
    }
    if (items.size() > 1) fields.put(path + ORDER, order.toString());
  }

  private static String name(Object item) {
    if (!(item instanceof Map<?, ?> map)) return text(item);
    if (map.get("name") instanceof String name) return name;
    if (!(map.get("match") instanceof Map<?, ?> match)) return "";
    if (match.isEmpty()) return "everything";
    var conditions = new StringJoiner(",");
    match.forEach((attribute, pattern) -> conditions.add(attribute + "=" + text(pattern)));
    return conditions.toString();
  }

  private static String text(Object value) {
    if (!(value instanceof List<?> items)) return String.valueOf(value);
    var list = new StringJoiner(", ", "[", "]");
    for (var item : items) list.add(text(item));
    return list.toString();
  }

  private RuleFields() {}
}
