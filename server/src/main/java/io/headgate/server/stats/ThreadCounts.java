package io.headgate.server.stats;

import io.headgate.server.counts.LatencyHistogram;
import io.headgate.server.counts.OutcomeCounts;
import java.util.HashMap;
import java.util.Map;

/** Counts of one thread in one second. */
final class ThreadCounts {
  /** Maximum number of rules per second; further rules are included in the totals only. */
  static final int MAX_RULES = 1_000;

  final long second;
  final OutcomeCounts all = new OutcomeCounts();
  final Map<String, OutcomeCounts> byRule = new HashMap<>();
  final LatencyHistogram latencies = new LatencyHistogram();
  long uncounted; // allowed without being counted by any limit
  long unmatched; // no enforced rule applied

  ThreadCounts(long second) {
    this.second = second;
  }

  boolean isEmpty() {
    return all.checks == 0;
  }

  OutcomeCounts of(String rule) {
    var known = byRule.get(rule);
    if (known != null) return known;
    var added = new OutcomeCounts();
    if (byRule.size() < MAX_RULES) byRule.put(rule, added);
    return added;
  }
}
