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
 * Which part of a line is which attribute. Only what rules look at is read, and who called.
 *
 * <p>An attribute is the field of the same name, unless said otherwise; the bare {@code key} is the
 * field {@code key} or, where a line has none, the user or the address.
 */
public final class Attributes {
  private static final List<String> WHO = List.of("user", "ip");
  private static final List<String> KEY_FROM = List.of(Subject.KEY, "user", "ip");

  private static final class Attribute {
    final String name;
    final List<FieldTemplate> ways;
    boolean seen;

    Attribute(String name, List<FieldTemplate> ways) {
      this.name = name;
      this.ways = ways;
    }
  }

  private record Cost(String name, int slot) {}

  private final FieldSlots slots = new FieldSlots();
  private final List<Attribute> attributes = new ArrayList<>();
  private final List<Cost> costs = new ArrayList<>();
  private final RequiredFields wanted;

  private Attributes(RequiredFields wanted) {
    this.wanted = wanted;
  }

  /**
   * @param given for some attributes, what they are made of: a field such as {@code remote_addr},
   *     or a text with fields such as <code>user:{user}</code>
   * @throws IllegalArgumentException if one of those can't be read
   */
  public static Attributes of(RequiredFields wanted, Map<String, String> given) {
    for (var name : given.keySet()) requireName(name);
    var made = new Attributes(wanted);
    var names = new LinkedHashSet<>(wanted.attributes());
    names.addAll(given.keySet());
    names.addAll(WHO);
    for (var name : names) made.add(name, given);
    for (var cost : wanted.costs()) made.costs.add(new Cost(cost, made.slots.wanting(cost)));
    return made;
  }

  private static void requireName(String name) {
    if (!name.isEmpty() && name.length() <= Subject.LONGEST_NAME) return;
    throw new IllegalArgumentException(
        "an attribute's name must have 1 to %d characters, got %d; give such as client=remote_addr"
            .formatted(Subject.LONGEST_NAME, name.length()));
  }

  private void add(String name, Map<String, String> given) {
    var way = given.get(name);
    if (way != null) {
      attributes.add(new Attribute(name, List.of(FieldTemplate.of(way, slots))));
      return;
    }
    var from = name.equals(Subject.KEY) ? KEY_FROM : List.of(name);
    attributes.add(
        new Attribute(
            name, from.stream().map(field -> FieldTemplate.field(field, slots)).toList()));
  }

  FieldSlots slots() {
    return slots;
  }

  /** The attributes that rules look at and that no line had. */
  public List<String> missing() {
    return attributes.stream()
        .filter(attribute -> !attribute.seen && wanted.attributes().contains(attribute.name))
        .map(attribute -> attribute.name)
        .toList();
  }

  /** Empty if the line says more than a request can. */
  Optional<Request> request(LogLine line) {
    var values = new LinkedHashMap<String, String>();
    for (var attribute : attributes) {
      for (var way : attribute.ways) {
        var value = way.of(line);
        if (value == null) continue;
        values.put(attribute.name, fitting(value));
        attribute.seen = true;
        break;
      }
    }
    var named = costs(line);
    return values.size() > Subject.MOST_ATTRIBUTES || named.size() > Request.MOST_COSTS
        ? Optional.empty()
        : Optional.of(new Request(Subject.of(values), 1, named));
  }

  private static String fitting(String value) {
    return value.length() <= Subject.LONGEST_VALUE
        ? value
        : value.substring(0, Subject.LONGEST_VALUE);
  }

  private Map<String, Long> costs(LogLine line) {
    if (costs.isEmpty()) return Map.of();
    var named = new LinkedHashMap<String, Long>();
    for (var cost : costs) {
      var text = line.value(cost.slot);
      if (text == null || !isCount(text)) continue;
      named.put(cost.name, Math.min(Request.HIGHEST_COST, Long.parseLong(text)));
    }
    return named;
  }

  private static boolean isCount(String text) {
    return text.length() <= 18 && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }
}
