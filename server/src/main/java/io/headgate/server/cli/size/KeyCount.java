package io.headgate.server.cli.size;

import io.headgate.limit.FairShare;
import io.headgate.rule.Match;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.server.cli.output.CommandFailure;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Counts the keys that callers make under a limit. */
final class KeyCount {
  private final SizingRequest request;

  /**
   * Creates a count for a rule set.
   *
   * @throws CommandFailure if the request has callers of a limit that does not exist
   */
  KeyCount(SizingRequest request, List<Rule> rules) {
    this.request = request;
    Set<String> known = new TreeSet<>();
    for (var rule : rules) {
      known.add(rule.id());
      for (var limit : rule.limits()) known.add(policy(rule, limit));
    }
    for (var name : request.callersOf().keySet()) {
      if (known.contains(name)) continue;
      throw new CommandFailure(
          "--callers-of: there is no rule or limit '%s'; there are: %s"
              .formatted(name, String.join(", ", known.stream().limit(20).toList())));
    }
  }

  static String policy(Rule rule, RuleLimit limit) {
    return limit.name().equals(rule.id()) ? rule.id() : rule.id() + "/" + limit.name();
  }

  /** Returns the keys of a limit: one for each caller, or one that all callers share. */
  double of(Rule rule, RuleLimit limit, Match match) {
    return isShared(rule, limit, match) ? 1 : callers(rule, limit);
  }

  /** Returns the callers of a limit. */
  double callers(Rule rule, RuleLimit limit) {
    var own = request.callersOf().get(policy(rule, limit));
    if (own == null) own = request.callersOf().get(rule.id());
    return own == null ? request.callers() : own;
  }

  /** Returns the tenants of each counter of a limit that is shared fairly; 0 for other limits. */
  double tenants(Rule rule, RuleLimit limit, double keys) {
    return limit.limit() instanceof FairShare ? Math.ceil(callers(rule, limit) / keys) : 0;
  }

  /** Returns whether the attributes of the counter have one value each. */
  private static boolean isShared(Rule rule, RuleLimit limit, Match match) {
    return rule.attributesOf(limit).stream()
        .allMatch(name -> isExact(rule.match(), name) || isExact(match, name));
  }

  private static boolean isExact(Match match, String attribute) {
    var pattern = match.conditions().get(attribute);
    return pattern != null && !pattern.isWildcard();
  }
}
