package io.headgate.rule;

import io.headgate.limit.Limit;
import io.headgate.limit.Stateless;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Determines which limits of a rule's overrides need a counter separate from the rule's counter of
 * the same name.
 *
 * <p>A counter must be used with one limit only: a state that alternates between two limits is
 * converted each time, so a caller that can choose the limit could lose or gain permits. An
 * override shares the rule's counter if the counter's key alone determines that the override
 * applies, or if its limit equals that of the counter. Otherwise its counter is separate and named
 * by the override's {@linkplain Match#fingerprint() fingerprint}. A limit without a state has no
 * counter, so it does not take part.
 */
final class SeparateCounters {
  private final Rule rule;

  /** The attributes of each shared counter by name; absent if the overrides disagree. */
  private final Map<String, List<String>> per = new HashMap<>();

  /** The limits that a key of each shared counter can resolve to, by name. */
  private final Map<String, Set<Limit>> shared = new HashMap<>();

  SeparateCounters(Rule rule) {
    this.rule = rule;
    for (var limit : rule.limits()) {
      if (limit.limit() instanceof Stateless) continue;
      per.put(limit.name(), rule.attributesOf(limit));
      shared.computeIfAbsent(limit.name(), name -> new HashSet<>()).add(limit.limit());
    }
    var disputed = new HashSet<String>();
    for (var override : rule.overrides()) {
      for (var limit : override.limits()) {
        if (limit.limit() instanceof Stateless) continue;
        if (shared.containsKey(limit.name())) continue; // determined by the rule's own limit
        var own = rule.attributesOf(limit);
        var first = per.putIfAbsent(limit.name(), own);
        if (first != null && !first.equals(own)) disputed.add(limit.name());
      }
    }
    disputed.forEach(per::remove);
    for (var override : rule.overrides()) {
      for (var limit : override.limits()) {
        if (limit.limit() instanceof Stateless || !isDetermined(override, limit)) continue;
        shared.computeIfAbsent(limit.name(), name -> new HashSet<>()).add(limit.limit());
      }
    }
  }

  /** Returns whether a limit of an override has a separate counter. */
  boolean contains(LimitOverride override, RuleLimit limit) {
    if (limit.limit() instanceof Stateless || isDetermined(override, limit)) return false;
    return !rule.attributesOf(limit).equals(per.get(limit.name()))
        || !Set.of(limit.limit()).equals(shared.get(limit.name()));
  }

  /** Returns whether the counter key determines whether this override applies. */
  private boolean isDetermined(LimitOverride override, RuleLimit limit) {
    var attributes = rule.attributesOf(limit);
    if (!attributes.equals(per.get(limit.name()))) return false;
    return override.match().conditions().entrySet().stream()
        .allMatch(condition -> isDetermined(condition.getKey(), condition.getValue(), attributes));
  }

  private boolean isDetermined(String attribute, Pattern pattern, List<String> attributes) {
    if (attributes.contains(attribute) && pattern.isDeterminedByKey(attribute)) return true;
    var fixed = rule.match().conditions().get(attribute);
    return fixed instanceof Pattern.Exactly
        || fixed instanceof Pattern.Absent
        || pattern.equals(fixed);
  }
}
