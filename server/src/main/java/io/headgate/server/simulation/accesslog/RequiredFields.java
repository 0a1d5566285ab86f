package io.headgate.server.simulation.accesslog;

import io.headgate.rule.Match;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/** The names of attributes and costs that rules use. */
public record RequiredFields(Set<String> attributes, Set<String> costs) {
  /**
   * Maximum number of each. They are searched in every line. The limit is above that of a request,
   * since no line has all of them.
   */
  static final int MAX_FIELDS = 256;

  public RequiredFields {
    attributes = Collections.unmodifiableSet(new LinkedHashSet<>(attributes));
    costs = Collections.unmodifiableSet(new LinkedHashSet<>(costs));
    requireAtMost("attributes", attributes);
    requireAtMost("costs", costs);
  }

  private static void requireAtMost(String what, Set<String> names) {
    if (names.size() <= MAX_FIELDS) return;
    throw new IllegalArgumentException(
        "the rules use %d %s, but a log can be read for at most %d; simulate fewer rules at once"
            .formatted(names.size(), what, MAX_FIELDS));
  }

  /**
   * Returns the names used by any of the rule sets.
   *
   * @throws IllegalArgumentException if there are too many
   */
  public static RequiredFields of(Collection<RuleSet> rules) {
    var attributes = new LinkedHashSet<String>();
    var costs = new LinkedHashSet<String>();
    for (var set : rules) {
      for (var rule : set.rules()) collect(rule, attributes, costs);
    }
    return new RequiredFields(attributes, costs);
  }

  private static void collect(Rule rule, Set<String> attributes, Set<String> costs) {
    collect(rule.match(), attributes);
    rule.per().ifPresent(attributes::addAll);
    for (var limit : rule.limits()) collect(limit, attributes, costs);
    for (var override : rule.overrides()) {
      collect(override.match(), attributes);
      for (var limit : override.limits()) collect(limit, attributes, costs);
    }
  }

  private static void collect(Match match, Set<String> attributes) {
    attributes.addAll(match.conditions().keySet());
  }

  private static void collect(RuleLimit limit, Set<String> attributes, Set<String> costs) {
    limit.per().ifPresent(attributes::addAll);
    limit.cost().ifPresent(costs::add);
  }
}
