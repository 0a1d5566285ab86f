package io.headgate.server.quota;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Counts the reported requests by rule. Not thread-safe: guarded by {@link QuotaBook}. */
final class RuleUsage {
  private static final class Counts {
    private long admitted;
    private long denied;
    private long wouldDeny;
    private long expired;
  }

  private final Map<String, Counts> byRule = new HashMap<>();

  private Counts of(String rule) {
    return byRule.computeIfAbsent(rule, id -> new Counts());
  }

  void reported(List<String> rules, long admitted, long denied) {
    for (var rule : rules) {
      var counts = of(rule);
      counts.admitted += admitted;
      counts.denied += denied;
    }
  }

  void wouldDeny(String rule, long requests) {
    of(rule).wouldDeny += requests;
  }

  void expired(List<String> rules, long permits) {
    for (var rule : rules) of(rule).expired += permits;
  }

  /**
   * Returns the figures of the rules in force, in the order of their ids, and drops those of other
   * rules.
   */
  List<QuotaRuleStats> stats(Iterable<? extends QuotaBucket<?>> buckets, Set<String> inForce) {
    byRule.keySet().retainAll(inForce);
    var numbers = new HashMap<String, Long>();
    var assigned = new HashMap<String, Long>();
    for (var bucket : buckets) {
      long permits = bucket.assignment.outstanding();
      for (var rule : bucket.rules) {
        numbers.merge(rule, 1L, Long::sum);
        assigned.merge(rule, permits, Long::sum);
      }
    }
    var stats = new ArrayList<QuotaRuleStats>();
    new TreeMap<>(byRule)
        .forEach((rule, counts) ->
            stats.add(
                new QuotaRuleStats(
                    rule,
                    numbers.getOrDefault(rule, 0L),
                    assigned.getOrDefault(rule, 0L),
                    counts.admitted,
                    counts.denied,
                    counts.wouldDeny,
                    counts.expired)));
    return stats;
  }
}
