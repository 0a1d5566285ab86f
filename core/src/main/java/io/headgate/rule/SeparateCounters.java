package io.headgate.rule;

import io.headgate.limit.Limit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides which limits of a rule's overrides need a counter apart from the rule's counter of the
 * same name.
 *
 * <p>One counter must be held against one limit only: a state that meets two limits in turn is
 * converted each time, and a caller that chooses which of them applies can lose or mint permits. So
 * an override shares the rule's counter if the counter's key alone determines that the override
 * applies, or if its limit is the one that the counter has anyway. In every other case the limit is
 * counted apart, under the override's {@linkplain Match#fingerprint() match}.
 */
final class SeparateCounters {
  private final Rule rule;

  /** By name, what each shared counter is kept per; absent where the overrides disagree. */
  private final Map<String, List<String>> per = new HashMap<>();

  /** By name, every limit that a key of the shared counter can resolve to. */
  private final Map<String, Set<Limit>> shared = new HashMap<>();

  SeparateCounters(Rule rule) {
    this.rule = rule;
    for (var limit : rule.limits()) {
      per.put(limit.name(), rule.attributesOf(limit));
      shared.computeIfAbsent(limit.name(), name -> new HashSet<>()).add(limit.limit());
    }
    var disputed = new HashSet<String>();
    for (var override : rule.overrides()) {
      for (var limit : override.limits()) {
        if (shared.containsKey(limit.name())) continue; // the rule's own limit settles it
        var own = rule.attributesOf(limit);
        var first = per.putIfAbsent(limit.name(), own);
        if (first != null && !first.equals(own)) disputed.add(limit.name());
      }
    }
    disputed.forEach(per::remove);
    for (var override : rule.overrides()) {
      for (var limit : override.limits()) {
        if (!isDetermined(override, limit)) continue;
        shared.computeIfAbsent(limit.name(), name -> new HashSet<>()).add(limit.limit());
      }
    }
  }

  boolean contains(LimitOverride override, RuleLimit limit) {
    if (isDetermined(override, limit)) return false;
    return !rule.attributesOf(limit).equals(per.get(limit.name()))
        || !Set.of(limit.limit()).equals(shared.get(limit.name()));
  }

  /** Whether all requests of one counter key agree on this override. */
  private boolean isDetermined(LimitOverride override, RuleLimit limit) {
    var attributes = rule.attributesOf(limit);
    if (!attributes.equals(per.get(limit.name()))) return false;
    return override.match().conditions().entrySet().stream()
        .allMatch(condition -> isDetermined(condition.getKey(), condition.getValue(), attributes));
  }

  private boolean isDetermined(String attribute, Pattern pattern, List<String> attributes) {
    if (attributes.contains(attribute) && pattern.isDeterminedByKey(attribute)) return true;
    var fixed = rule.match().conditions().get(attribute);
    return fixed instanceof Pattern.Exactly || pattern.equals(fixed);
  }
}
