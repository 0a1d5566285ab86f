package io.headgate.rulefile;

import io.headgate.limit.FairShare;
import io.headgate.limit.Stateless;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Warns of limits that are counted per attribute that {@code match} does not have: all callers
 * without it share one counter. The attribute may be misspelled.
 */
final class SharedCounterWarnings {
  /** Returns the warnings of a rule, one for each attribute. */
  static List<String> of(Rule rule) {
    var per = new LinkedHashSet<String>();
    var tenants = new LinkedHashSet<String>();
    var weights = new LinkedHashSet<String>();
    collect(rule, rule.limits(), Set.of(), per, tenants, weights);
    for (var override : rule.overrides()) {
      collect(
          rule, override.limits(), override.match().conditions().keySet(), per, tenants, weights);
    }
    var warnings = new ArrayList<String>();
    for (var name : per) warnings.add(text(rule, name, "share one counter"));
    for (var name : tenants) warnings.add(text(rule, name, "share as one tenant"));
    for (var name : weights) warnings.add(text(rule, name, "have the weight 1"));
    return warnings;
  }

  private static void collect(
      Rule rule,
      List<RuleLimit> limits,
      Set<String> ofOverride,
      Set<String> per,
      Set<String> tenants,
      Set<String> weights) {
    var known = new LinkedHashSet<>(rule.match().conditions().keySet());
    known.addAll(ofOverride);
    for (var limit : limits) {
      if (limit.limit() instanceof Stateless) continue;
      add(rule.attributesOf(limit), known, per);
      if (!(limit.limit() instanceof FairShare fair)) continue;
      add(fair.sharing().among(), known, tenants);
      add(fair.sharing().weightBy().stream().toList(), known, weights);
    }
  }

  private static void add(List<String> attributes, Set<String> known, Set<String> missing) {
    for (var name : attributes) if (!known.contains(name)) missing.add(name);
  }

  private static String text(Rule rule, String attribute, String what) {
    String name = Excerpt.shown(attribute);
    return "rule '%s': all callers without %s %s, since match does not require %s. Add %s: \"*\" to match, or { is: \"*\", or: absent } if that is meant"
        .formatted(Excerpt.shown(rule.id()), name, what, name, name);
  }

  private SharedCounterWarnings() {}
}
