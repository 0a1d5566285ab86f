package io.headgate.server.simulation;

import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.store.MemoryStore;
import java.util.Locale;

/**
 * Memory budget of one rule set in a simulation.
 *
 * @param keys maximum number of counters with a state; beyond it counters are evicted
 * @param requests maximum number of requests stored individually, as rolling windows and
 *     concurrency limits do; beyond it the simulation ends
 */
public record SimulationBudget(int keys, long requests) {
  /** The budget of a service with default settings. */
  public static final SimulationBudget DEFAULT = ofKeys(MemoryStore.DEFAULT_MAX_KEYS);

  /** Overhead of a counter: its entry in the store and the text of its key. */
  private static final int KEY_BYTES = 256;

  /** Three numbers per request, in arrays that may be half empty. */
  private static final int REQUEST_BYTES = 48;

  public SimulationBudget {
    if (keys < 1) {
      throw new IllegalArgumentException("the budget must allow at least 1 key, got " + keys);
    }
  }

  /** Returns a budget that bounds the number of counters only. */
  public static SimulationBudget ofKeys(int keys) {
    return new SimulationBudget(keys, Long.MAX_VALUE);
  }

  /**
   * Returns the budget of an amount of memory, half for counters of the largest state of the rules
   * and half for requests.
   */
  public static SimulationBudget within(long bytes, RuleSet rules) {
    long state = 0;
    for (var rule : rules.rules()) {
      for (var limit : rule.limits()) state = Math.max(state, bytes(limit));
      for (var override : rule.overrides()) {
        for (var limit : override.limits()) state = Math.max(state, bytes(limit));
      }
    }
    long keys = bytes / 2 / (KEY_BYTES + state);
    return new SimulationBudget(Math.clamp(keys, 1, Integer.MAX_VALUE), bytes / 2 / REQUEST_BYTES);
  }

  private static long bytes(RuleLimit limit) {
    return StateBytes.of(limit.limit(), 0);
  }

  /** Thrown when a simulation exceeds its budget. */
  public static final class Exceeded extends RuntimeException {
    private static final long serialVersionUID = 1;

    Exceeded(long requests) {
      super(
          String.format(
              Locale.ROOT,
              "rolling windows and concurrency limits would have to store more than %,d requests",
              requests),
          null,
          false,
          false);
    }
  }
}
