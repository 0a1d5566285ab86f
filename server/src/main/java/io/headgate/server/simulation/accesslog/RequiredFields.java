package io.headgate.server.simulation.accesslog;

import io.headgate.rule.Match;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/** What rules look at: the names of attributes, and of costs. */
public record RequiredFields(Set<String> attributes, Set<String> costs) {
  /** Each is looked for in every line. More than a request may have: no line has them all. */
  static final int MOST = 256;

  public RequiredFields {
    attributes = Collections.unmodifiableSet(new LinkedHashSet<>(attributes));
    costs = Collections.unmodifiableSet(new LinkedHashSet<>(costs));
    requireFew("attributes", attributes);
    requireFew("costs", costs);
  }

  private static void requireFew(String what, Set<String> names) {
    if (names.size() <= MOST) return;
    throw new IllegalArgumentException(
        "the rules look at %d %s, and a log can be read for %d at the most; try fewer rules at once"
            .formatted(names.size(), what, MOST));
  }

  /**
   * @throws IllegalArgumentException if that is too much to look for
   */
  public static RequiredFields by(Collection<RuleSet> rules) {
    var attributes = new LinkedHashSet<String>();
    var costs = new LinkedHashSet<String>();
    for (var set : rules) {
      for (var rule : set.rules()) look(rule, attributes, costs);
    }
    return new RequiredFields(attributes, costs);
  }

  private static void look(Rule rule, Set<String> attributes, Set<String> costs) {
    look(rule.match(), attributes);
    rule.per().ifPresent(attributes::addAll);
    for (var limit : rule.limits()) look(limit, attributes, costs);
    for (var override : rule.overrides()) {
      look(override.match(), attributes);
      for (var limit : override.limits()) look(limit, attributes, costs);
    }
  }

  private static void look(Match match, Set<String> attributes) {
    attributes.addAll(match.conditions().keySet());
  }

  private static void look(RuleLimit limit, Set<String> attributes, Set<String> costs) {
    limit.per().ifPresent(attributes::addAll);
    limit.cost().ifPresent(costs::add);
  }
}
