package io.headgate.internal.consistency;

import io.headgate.rule.Counter;

/**
 * The names of counters in a shared store. Instances refer to a counter by its name when they
 * notify each other of a change.
 */
@FunctionalInterface
public interface CounterNames {
  /** Returns the name of a counter's state, equal on all instances. */
  String of(Counter counter, String key);
}
