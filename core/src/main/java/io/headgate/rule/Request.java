package io.headgate.rule;

import java.util.Map;

/**
 * One question: may this subject go ahead, at this cost?
 *
 * @param cost what limits without a named cost spend; 0 asks how things stand and charges nothing
 * @param costs what limits with a named cost spend, such as {@code bytes}; 0 where it is missing
 */
public record Request(Subject subject, long cost, Map<String, Long> costs) {
  /** The largest integer that every part of Headgate counts exactly. */
  public static final long HIGHEST_COST = 1L << 53;

  public static final int MOST_COSTS = 16;

  public Request {
    requireCost("cost", cost);
    costs = Map.copyOf(costs);
    if (costs.size() > MOST_COSTS) {
      throw new IllegalArgumentException(
          "a request may have at most %d named costs, got %d".formatted(MOST_COSTS, costs.size()));
    }
    costs.forEach((name, value) -> requireCost("cost '" + name + "'", value));
  }

  public static Request of(Subject subject) {
    return new Request(subject, 1, Map.of());
  }

  public static Request of(Subject subject, long cost) {
    return new Request(subject, cost, Map.of());
  }

  private static void requireCost(String what, long cost) {
    if (cost < 0 || cost > HIGHEST_COST) {
      throw new IllegalArgumentException(
          "%s must be 0 to %d, got %d".formatted(what, HIGHEST_COST, cost));
    }
  }
}
