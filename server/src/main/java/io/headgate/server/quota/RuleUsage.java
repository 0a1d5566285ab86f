package io.headgate.server.quota;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the reported requests by rule. Thread-safe. */
final class RuleUsage {
  private static final class Counts {
    private final LongAdder admitted = new LongAdder();
    private final LongAdder denied = new LongAdder();
    private final LongAdder wouldDeny = new LongAdder();
    private final LongAdder expired = new LongAdder();
  }

  private final Map<String, Counts> byRule = new ConcurrentHashMap<>();

  private Counts of(String rule) {
    return byRule.computeIfAbsent(rule, id -> new Counts());
  }

  void reported(List<String> rules, long admitted, long denied) {
    for (var rule : rules) {
      var counts = of(rule);
      counts.admitted.add(admitted);
      counts.denied.add(denied);
    }
  }

  void wouldDeny(String rule, long requests) {
    of(rule).wouldDeny.add(requests);
  }

  void expired(List<String> rules, long permits) {
    for (var rule : rules) of(rule).expired.add(permits);
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
                    counts.admitted.sum(),
                    counts.denied.sum(),
                    counts.wouldDeny.sum(),
                    counts.expired.sum())));
    return stats;
  }
}
