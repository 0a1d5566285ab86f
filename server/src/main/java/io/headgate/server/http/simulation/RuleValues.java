package io.headgate.server.http.simulation;

import io.headgate.limit.FairShare;
import io.headgate.rule.Match;
import io.headgate.rule.Pattern;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The values and patterns of attributes that rules refer to: in conditions, in overrides, and as
 * weights of tenants. Rules with values of a client's choice tell which of them occur in the
 * requests that they are applied to.
 */
final class RuleValues {
  private static final String ANY = "*";

  private record Condition(String attribute, Pattern pattern) {
    @Override
    public String toString() {
      return attribute + ": " + pattern.text();
    }
  }

  /**
   * Returns a condition that the changed rules have and the rules in force do not.
   *
   * @return empty if all conditions are in force as well, or match every value
   */
  static Optional<String> added(List<Rule> inForce, List<Rule> changed) {
    var known = conditions(inForce);
    return conditions(changed).stream()
        .filter(condition -> !condition.pattern.text().equals(ANY) && !known.contains(condition))
        .map(Condition::toString)
        .findFirst();
  }

  private static Set<Condition> conditions(List<Rule> rules) {
    var all = new HashSet<Condition>();
    for (var rule : rules) {
      add(all, rule.match());
      rule.limits().forEach(limit -> add(all, limit));
      for (var override : rule.overrides()) {
        add(all, override.match());
        override.limits().forEach(limit -> add(all, limit));
      }
    }
    return all;
  }

  private static void add(Set<Condition> all, Match match) {
    match.conditions().forEach((attribute, pattern) -> all.add(new Condition(attribute, pattern)));
  }

  /** Adds the values that have a weight: a tenant with another weight has another share. */
  private static void add(Set<Condition> all, RuleLimit limit) {
    if (!(limit.limit() instanceof FairShare shared)) return;
    var sharing = shared.sharing();
    String attribute = sharing.weightBy().orElse(sharing.among().getFirst());
    for (var value : sharing.weights().keySet()) {
      all.add(new Condition(attribute, new Pattern.Exactly(value)));
    }
  }

  private RuleValues() {}
}
