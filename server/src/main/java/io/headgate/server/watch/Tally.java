package io.headgate.server.watch;

import java.util.HashMap;
import java.util.Map;

/** What one thread has seen in one second. */
final class Tally {
  /** More rules than this in one second are counted in the sums only. */
  static final int MOST_RULES = 1_000;

  final long second;
  final Outcomes all = new Outcomes();
  final Map<String, Outcomes> byRule = new HashMap<>();
  final Latencies latencies = new Latencies();
  long uncounted; // allowed, though nobody holds them against a limit

  Tally(long second) {
    this.second = second;
  }

  boolean isEmpty() {
    return all.asked == 0;
  }

  Outcomes of(String rule) {
    var known = byRule.get(rule);
    if (known != null) return known;
    var fresh = new Outcomes();
    if (byRule.size() < MOST_RULES) byRule.put(rule, fresh);
    return fresh;
  }
}
