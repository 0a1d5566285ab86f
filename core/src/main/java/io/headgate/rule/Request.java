package io.headgate.rule;

import java.util.Map;

/**
 * A request to be checked.
 *
 * @param subject the attributes of the request
 * @param cost the permits to charge to limits without a named cost; 0 charges nothing and always
 *     passes
 * @param costs the permits to charge to limits with a named cost such as {@code bytes}; a missing
 *     cost is 0
 */
public record Request(Subject subject, long cost, Map<String, Long> costs) {
  /**
   * The highest cost: 2^52, so that a count plus a cost is at most 2^53, up to which Lua's doubles
   * represent integers exactly. No limit has as many permits.
   */
  public static final long MAX_COST = 1L << 52;

  /** The name under which reports list the cost of limits without a named cost. */
  public static final String PLAIN_COST = "cost";

  /** The highest number of named costs. */
  public static final int MAX_NAMED_COSTS = 16;

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public Request {
    requireCost("cost", cost);
    costs = Map.copyOf(costs);
    if (!costs.isEmpty()) requireCosts(costs); // saves an iterator: most requests have none
  }

  /** Creates a request of cost 1. */
  public static Request of(Subject subject) {
    return new Request(subject, 1, Map.of());
  }

  /** Creates a request of the given cost, without named costs. */
  public static Request of(Subject subject, long cost) {
    return new Request(subject, cost, Map.of());
  }

  private static void requireCosts(Map<String, Long> costs) {
    if (costs.size() > MAX_NAMED_COSTS) {
      throw new IllegalArgumentException(
          "a request may have at most %d named costs, got %d"
              .formatted(MAX_NAMED_COSTS, costs.size()));
    }
    costs.forEach((name, value) -> requireCost("cost '" + name + "'", value));
  }

  private static void requireCost(String what, long cost) {
    if (cost < 0 || cost > MAX_COST) {
      throw new IllegalArgumentException(
          "%s must be 0 to %d, got %d".formatted(what, MAX_COST, cost));
    }
  }
}
