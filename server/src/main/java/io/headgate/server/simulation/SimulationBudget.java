package io.headgate.server.simulation;

import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.store.MemoryStore;
import java.util.Locale;

/**
 * How much one set of rules may remember in a trial.
 *
 * @param keys how many counters may have a state at once; beyond, those that say least are
 *     forgotten
 * @param requests how many requests may be remembered one by one, as rolling windows and slots in
 *     flight do; beyond, the trial ends
 */
public record SimulationBudget(int keys, long requests) {
  /** As much as a service keeps by itself. */
  public static final SimulationBudget USUAL = ofKeys(MemoryStore.DEFAULT_MOST_KEYS);

  /** Of a counter beside its state: its place in the store, and the key's text. */
  private static final int KEY_BYTES = 256;

  /** Three numbers for each, in arrays that may be half empty. */
  private static final int REQUEST_BYTES = 48;

  public SimulationBudget {
    if (keys < 1) {
      throw new IllegalArgumentException("there must be room for at least 1 key, got " + keys);
    }
  }

  public static SimulationBudget ofKeys(int keys) {
    return new SimulationBudget(keys, Long.MAX_VALUE);
  }

  /** What fits into so much memory, half of it for each: keys by the largest state of the rules. */
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

  /** A trial that would remember more than it may. */
  public static final class Exceeded extends RuntimeException {
    private static final long serialVersionUID = 1;

    Exceeded(long requests) {
      super(
          String.format(
              Locale.ROOT,
              "rolling windows and slots in flight would remember more than %,d requests",
              requests),
          null,
          false,
          false);
    }
  }
}
