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
 * Serializes a snapshot as JSON, with one line for the revision, one per rule, and a final line. A
 * text truncated anywhere is rejected.
 */
final class SnapshotText {
  private static final JsonFactory JSON = new JsonFactory();
  private static final String RULES = ",\"rules\":[";
  private static final String END = "]}";

  static String of(StoredSnapshot snapshot) {
    var text = new StringBuilder(head(snapshot)).append(RULES);
    String between = "\n";
    for (var line : snapshot.storedRules()) {
      text.append(between).append('[').append(line.sortKey()).append(',').append(line.body());
      text.append(']');
      between = ",\n";
    }
    return text.append('\n').append(END).append('\n').toString();
  }

  /**
   * Parses a snapshot.
   *
   * @param rulesByText rules already parsed, by their texts, since parsing a rule again is far more
   *     expensive
   * @throws IllegalArgumentException if the text is not a complete snapshot
   */
  static StoredSnapshot read(String text, Map<String, Rule> rulesByText) {
    var lines = text.lines().toList();
    if (lines.size() < 2 || !lines.getFirst().endsWith(RULES) || !lines.getLast().equals(END)) {
      throw new IllegalArgumentException("it does not begin and end like a snapshot of rules");
    }
    var read = new ArrayList<StoredRule>(lines.size());
    for (var line : lines.subList(1, lines.size() - 1)) read.add(line(line, rulesByText));
    String head = lines.getFirst();
    var fields = fields(head.substring(0, head.length() - RULES.length()) + "}");
    var snapshot =
        StoredSnapshot.of(field(fields, "book"), field(fields, "tag"), revision(fields), read);
    if (snapshot.snapshot().revision().rules() != read.size()) {
      throw new IllegalArgumentException("the number of rules does not match the header");
    }
    return snapshot;
  }

  private static StoredRule line(String text, Map<String, Rule> rulesByText) {
    String line = text.endsWith(",") ? text.substring(0, text.length() - 1) : text;
    int comma = line.indexOf(',');
    if (comma < 2 || line.charAt(0) != '[' || !line.endsWith("]")) {
      throw new IllegalArgumentException("a line is not a rule");
    }
    long sortKey = Long.parseLong(line.substring(1, comma));
    return StoredRule.read(sortKey, line.substring(comma + 1, line.length() - 1), rulesByText);
  }

  private static String head(StoredSnapshot snapshot) {
    var revision = snapshot.snapshot().revision();
    var text = new StringWriter();
    try (var json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("book", snapshot.repositoryId());
      json.writeStringField("tag", snapshot.tag());
      json.writeStringField("revision", Long.toString(revision.number()));
      json.writeStringField("at", revision.at().toString());
      json.writeStringField("author", revision.changeInfo().author());
      json.writeStringField("message", revision.changeInfo().message());
      if (revision.changeInfo().isSeed()) json.writeStringField("seed", "true");
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
    return whole.substring(0, whole.length() - 1); // the closing brace follows the rules
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
    if (value == null) throw new IllegalArgumentException("the field '" + name + "' is missing");
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
      throw new IllegalArgumentException("the first line is not JSON", e);
    }
    return fields;
  }

  private SnapshotText() {}
}
