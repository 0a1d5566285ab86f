package io.headgate.simulation;

import io.headgate.rule.RuleSet;
import io.headgate.store.ConsistencyOptions;
import java.time.Duration;
import java.util.List;

/**
 * The input that determines a run.
 *
 * @param nodes the number of instances
 * @param shards the number of servers; more than one form a cluster
 * @param ruleSets the first is active at the start
 * @param latency the maximum latency of a message in µs; the minimum is a fifth of it
 * @param drift the maximum drift of the instances' clocks, in parts per million
 * @param end the end of the run, in µs from its start
 */
record RunScript(
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
  RunScript {
    ruleSets = List.copyOf(ruleSets);
    events = List.copyOf(events);
  }

  RunScript withEvents(List<Event> others) {
    return new RunScript(
        seed, nodes, shards, ruleSets, deadline, options, latency, drift, others, end);
  }
}
