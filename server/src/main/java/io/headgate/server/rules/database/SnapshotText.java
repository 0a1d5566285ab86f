package io.headgate.server.rules.database;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.headgate.rule.Rule;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.Revision;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A copy as text: JSON, with a line for the revision, one for each rule, and one that ends it. A
 * text that was cut off anywhere is refused.
 */
final class SnapshotText {
  private static final JsonFactory JSON = new JsonFactory();
  private static final String RULES = ",\"rules\":[";
  private static final String END = "]}";

  static String of(StoredSnapshot copy) {
    var text = new StringBuilder(head(copy)).append(RULES);
    String between = "\n";
    for (var line : copy.lines()) {
      text.append(between).append('[').append(line.place()).append(',').append(line.body());
      text.append(']');
      between = ",\n";
    }
    return text.append('\n').append(END).append('\n').toString();
  }

  /**
   * @param known rules by their texts; reading one anew costs far more
   * @throws IllegalArgumentException if it is no such text
   */
  static StoredSnapshot read(String text, Map<String, Rule> known) {
    var lines = text.lines().toList();
    if (lines.size() < 2 || !lines.getFirst().endsWith(RULES) || !lines.getLast().equals(END)) {
      throw new IllegalArgumentException("it does not begin and end as a copy of rules does");
    }
    var read = new ArrayList<StoredRule>(lines.size());
    for (var line : lines.subList(1, lines.size() - 1)) read.add(line(line, known));
    String head = lines.getFirst();
    var fields = fields(head.substring(0, head.length() - RULES.length()) + "}");
    var copy =
        StoredSnapshot.of(field(fields, "book"), field(fields, "tag"), revision(fields), read);
    if (copy.edition().revision().rules() != read.size()) {
      throw new IllegalArgumentException("it has not as many rules as it says");
    }
    return copy;
  }

  private static StoredRule line(String text, Map<String, Rule> known) {
    String line = text.endsWith(",") ? text.substring(0, text.length() - 1) : text;
    int comma = line.indexOf(',');
    if (comma < 2 || line.charAt(0) != '[' || !line.endsWith("]")) {
      throw new IllegalArgumentException("there is a line in it that is no rule");
    }
    long place = Long.parseLong(line.substring(1, comma));
    return StoredRule.read(place, line.substring(comma + 1, line.length() - 1), known);
  }

  private static String head(StoredSnapshot copy) {
    var revision = copy.edition().revision();
    var text = new StringWriter();
    try (var json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("book", copy.book());
      json.writeStringField("tag", copy.tag());
      json.writeStringField("revision", Long.toString(revision.number()));
      json.writeStringField("at", revision.at().toString());
      json.writeStringField("author", revision.signature().author());
      json.writeStringField("message", revision.signature().message());
      if (revision.signature().isSeed()) json.writeStringField("seed", "true");
      if (revision.restored().isPresent()) {
        json.writeStringField("restored", Long.toString(revision.restored().getAsLong()));
      }
      json.writeStringField("added", Integer.toString(revision.added()));
      json.writeStringField("changed", Integer.toString(revision.changed()));
      json.writeStringField("removed", Integer.toString(revision.removed()));
      json.writeStringField("count", Integer.toString(revision.rules()));
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String whole = text.toString();
    return whole.substring(0, whole.length() - 1); // its end comes after the rules
  }

  private static Revision revision(Map<String, String> fields) {
    String restored = fields.get("restored");
    return new Revision(
        number(fields, "revision"),
        Instant.parse(field(fields, "at")),
        new ChangeInfo(
            field(fields, "author"), field(fields, "message"), fields.containsKey("seed")),
        restored == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(restored)),
        Math.toIntExact(number(fields, "added")),
        Math.toIntExact(number(fields, "changed")),
        Math.toIntExact(number(fields, "removed")),
        Math.toIntExact(number(fields, "count")));
  }

  private static long number(Map<String, String> fields, String name) {
    return Long.parseLong(field(fields, name));
  }

  private static String field(Map<String, String> fields, String name) {
    var value = fields.get(name);
    if (value == null) throw new IllegalArgumentException("it does not say its " + name);
    return value;
  }

  private static Map<String, String> fields(String json) {
    var fields = new HashMap<String, String>();
    try (JsonParser parser = JSON.createParser(json)) {
      while (parser.nextToken() != null) {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
          fields.put(parser.currentName(), parser.getText());
        }
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("its first line is no JSON", e);
    }
    return fields;
  }

  private SnapshotText() {}
}
