package io.headgate.rule;

import java.util.List;

/**
 * The costs of a request that no limit of a matching rule spends, probably because a name is
 * misspelled.
 *
 * @param names the names of the costs, sorted; {@link Request#PLAIN_COST} for the plain cost
 * @param rules the ids of the rules that match, in their order; empty if all costs are spent
 */
public record UnusedCosts(List<String> names, List<String> rules) {
  /** All costs are spent. */
  public static final UnusedCosts NONE = new UnusedCosts(List.of(), List.of());

  /** Copies the lists. */
  public UnusedCosts {
    names = List.copyOf(names);
    rules = List.copyOf(rules);
  }

  /** Returns whether all costs are spent. */
  public boolean isEmpty() {
    return names.isEmpty();
  }
}
