package io.headgate.server.trial.log;

import io.headgate.rule.Match;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
    final List<Template> ways;
    boolean seen;

    Attribute(String name, List<Template> ways) {
      this.name = name;
      this.ways = ways;
    }
  }

  private record Cost(String name, int slot) {}

  private final Slots slots = new Slots();
  private final List<Attribute> attributes = new ArrayList<>();
  private final List<Cost> costs = new ArrayList<>();
  private final Set<String> wanted = new LinkedHashSet<>();

  private Attributes() {}

  /**
   * @param given for some attributes, what they are made of: a field such as {@code remote_addr},
   *     or a text with fields such as <code>user:{user}</code>
   * @throws IllegalArgumentException if one of those can't be read
   */
  public static Attributes of(Collection<RuleSet> rules, Map<String, String> given) {
    var made = new Attributes();
    var named = new LinkedHashSet<String>();
    for (var set : rules) {
      for (var rule : set.rules()) made.look(rule, named);
    }
    var names = new LinkedHashSet<>(made.wanted);
    names.addAll(given.keySet());
    names.addAll(WHO);
    for (var name : names) made.add(name, given);
    for (var cost : named) made.costs.add(new Cost(cost, made.slots.wanting(cost)));
    return made;
  }

  private void look(Rule rule, Set<String> named) {
    look(rule.match());
    rule.per().ifPresent(wanted::addAll);
    for (var limit : rule.limits()) look(limit, named);
    for (var override : rule.overrides()) {
      look(override.match());
      for (var limit : override.limits()) look(limit, named);
    }
  }

  private void look(Match match) {
    wanted.addAll(match.conditions().keySet());
  }

  private void look(RuleLimit limit, Set<String> named) {
    limit.per().ifPresent(wanted::addAll);
    limit.cost().ifPresent(named::add);
  }

  private void add(String name, Map<String, String> given) {
    var way = given.get(name);
    if (way != null) {
      attributes.add(new Attribute(name, List.of(Template.of(way, slots))));
      return;
    }
    var from = name.equals(Subject.KEY) ? KEY_FROM : List.of(name);
    attributes.add(
        new Attribute(name, from.stream().map(field -> Template.field(field, slots)).toList()));
  }

  Slots slots() {
    return slots;
  }

  /** The attributes that rules look at and that no line had. */
  public List<String> missing() {
    return attributes.stream()
        .filter(attribute -> !attribute.seen && wanted.contains(attribute.name))
        .map(attribute -> attribute.name)
        .toList();
  }

  Request request(LogLine line) {
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
    return new Request(Subject.of(values), 1, costs.isEmpty() ? Map.of() : costs(line));
  }

  private static String fitting(String value) {
    return value.length() <= Subject.LONGEST_VALUE
        ? value
        : value.substring(0, Subject.LONGEST_VALUE);
  }

  private Map<String, Long> costs(LogLine line) {
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
