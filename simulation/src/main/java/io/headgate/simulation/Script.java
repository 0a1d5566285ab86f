package io.headgate.simulation;

import io.headgate.consistency.ConsistencyOptions;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.List;

/**
 * All that determines a run.
 *
 * @param nodes how many instances there are
 * @param shards how many servers; one is not a cluster
 * @param ruleSets the first is in force at the start
 * @param latency the longest time of a message on its way, in µs; the shortest is a fifth of it
 * @param drift by how many millionths the clocks of instances run fast or slow
 * @param end when the run is over, in µs from its start
 */
record Script(
    long seed,
    int nodes,
    int shards,
    List<RuleSet> ruleSets,
    Duration deadline,
    ConsistencyOptions options,
    long latency,
    long drift,
    List<Event> events,
    long end) {
  Script {
    ruleSets = List.copyOf(ruleSets);
    events = List.copyOf(events);
  }

  Script withEvents(List<Event> others) {
    return new Script(
        seed, nodes, shards, ruleSets, deadline, options, latency, drift, others, end);
  }
}
