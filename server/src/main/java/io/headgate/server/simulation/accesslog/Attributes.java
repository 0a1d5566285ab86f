package io.headgate.server.simulation.accesslog;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Maps the fields of a log line to attributes. Reads only the attributes used by the rules and
 * those that identify the caller.
 *
 * <p>An attribute is the field of the same name unless it is mapped. The bare {@code key} is the
 * field {@code key} or, if a line has none, the user or the address.
 */
public final class Attributes {
  private static final List<String> CALLER_FIELDS = List.of("user", "ip");
  private static final List<String> KEY_FIELDS = List.of(Subject.KEY, "user", "ip");

  private static final class Attribute {
    final String name;
    final List<FieldTemplate> templates;
    boolean seen;

    Attribute(String name, List<FieldTemplate> templates) {
      this.name = name;
      this.templates = templates;
    }
  }

  private record Cost(String name, int slot) {}

  private final FieldSlots slots = new FieldSlots();
  private final List<Attribute> attributes = new ArrayList<>();
  private final List<Cost> costs = new ArrayList<>();
  private final RequiredFields required;

  private Attributes(RequiredFields required) {
    this.required = required;
  }

  /**
   * Creates the mapping.
   *
   * @param given templates of some attributes: a field such as {@code remote_addr}, or a text with
   *     fields such as <code>user:{user}</code>
   * @throws IllegalArgumentException if a template or an attribute name is invalid
   */
  public static Attributes of(RequiredFields required, Map<String, String> given) {
    for (var name : given.keySet()) requireName(name);
    var made = new Attributes(required);
    var names = new LinkedHashSet<>(required.attributes());
    names.addAll(given.keySet());
    names.addAll(CALLER_FIELDS);
    for (var name : names) made.add(name, given);
    for (var cost : required.costs()) made.costs.add(new Cost(cost, made.slots.require(cost)));
    return made;
  }

  private static void requireName(String name) {
    if (!name.isEmpty() && name.length() <= Subject.MAX_NAME_LENGTH) return;
    throw new IllegalArgumentException(
        "an attribute name must have 1 to %d characters, got %d; for example client=remote_addr"
            .formatted(Subject.MAX_NAME_LENGTH, name.length()));
  }

  private void add(String name, Map<String, String> given) {
    var template = given.get(name);
    if (template != null) {
      attributes.add(new Attribute(name, List.of(FieldTemplate.of(template, slots))));
      return;
    }
    var from = name.equals(Subject.KEY) ? KEY_FIELDS : List.of(name);
    attributes.add(
        new Attribute(
            name, from.stream().map(field -> FieldTemplate.field(field, slots)).toList()));
  }

  FieldSlots slots() {
    return slots;
  }

  /** Returns the attributes used by the rules that are present in no line. */
  public List<String> missing() {
    return attributes.stream()
        .filter(attribute -> !attribute.seen && required.attributes().contains(attribute.name))
        .map(attribute -> attribute.name)
        .toList();
  }

  /** Returns the request of a line, or empty if it has more fields than a request may have. */
  Optional<Request> request(LogLine line) {
    var values = new LinkedHashMap<String, String>();
    for (var attribute : attributes) {
      for (var template : attribute.templates) {
        var value = template.of(line);
        if (value == null) continue;
        values.put(attribute.name, truncate(value));
        attribute.seen = true;
        break;
      }
    }
    var named = costs(line);
    return values.size() > Subject.MAX_ATTRIBUTES || named.size() > Request.MAX_NAMED_COSTS
        ? Optional.empty()
        : Optional.of(new Request(Subject.of(values), 1, named));
  }

  private static String truncate(String value) {
    return value.length() <= Subject.MAX_VALUE_LENGTH
        ? value
        : value.substring(0, Subject.MAX_VALUE_LENGTH);
  }

  private Map<String, Long> costs(LogLine line) {
    if (costs.isEmpty()) return Map.of();
    var named = new LinkedHashMap<String, Long>();
    for (var cost : costs) {
      var text = line.value(cost.slot);
      if (text == null || !isCount(text)) continue;
      named.put(cost.name, Math.min(Request.MAX_COST, Long.parseLong(text)));
    }
    return named;
  }

  private static boolean isCount(String text) {
    return text.length() <= 18 && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }
}
