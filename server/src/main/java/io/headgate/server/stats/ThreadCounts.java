package io.headgate.server.stats;

import io.headgate.server.counts.LatencyHistogram;
import io.headgate.server.counts.OutcomeCounts;
import java.util.HashMap;
import java.util.Map;

/** What one thread has seen in one second. */
final class ThreadCounts {
  /** More rules than this in one second are counted in the sums only. */
  static final int MOST_RULES = 1_000;

  final long second;
  final OutcomeCounts all = new OutcomeCounts();
  final Map<String, OutcomeCounts> byRule = new HashMap<>();
  final LatencyHistogram latencies = new LatencyHistogram();
  long uncounted; // allowed, though nobody holds them against a limit

  ThreadCounts(long second) {
    this.second = second;
  }

  boolean isEmpty() {
    return all.asked == 0;
  }

  OutcomeCounts of(String rule) {
    var known = byRule.get(rule);
    if (known != null) return known;
    var fresh = new OutcomeCounts();
    if (byRule.size() < MOST_RULES) byRule.put(rule, fresh);
    return fresh;
  }
}
