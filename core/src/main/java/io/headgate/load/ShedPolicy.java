package io.headgate.load;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * When requests are dropped, and which of them first.
 *
 * @param signal the figure that is kept at its target
 * @param target the target: a share above 0 and below 1, or a time in milliseconds
 * @param priorityBy the attribute with the priority of a request; empty if all are equal
 * @param order the priorities from the one that is dropped last to the one that is dropped first. A
 *     request with any other value, or none, has the last of them. Empty if all are equal
 * @param guarantee by priority the share of the capacity that is never dropped, in thousandths
 * @param callers the attributes that identify a caller; empty for all attributes of a request.
 *     Within a priority the callers with the most requests are dropped first
 */
public record ShedPolicy(
    SignalKind signal,
    double target,
    String priorityBy,
    List<String> order,
    Map<String, Integer> guarantee,
    List<String> callers) {
  /** The highest number of priorities. */
  public static final int MAX_PRIORITIES = 16;

  /** The whole capacity in thousandths. */
  public static final int WHOLE = 1_000;

  private static final int MAX_CALLER_ATTRIBUTES = 8;
  private static final int MAX_LENGTH = 64;

  /** Throws {@link IllegalArgumentException} if a parameter is out of range. */
  public ShedPolicy {
    order = List.copyOf(order);
    callers = List.copyOf(callers);
    guarantee = Map.copyOf(new TreeMap<>(guarantee));
    requireTarget(signal, target);
    requireOrder(priorityBy, order);
    requireGuarantee(order, guarantee);
    if (callers.size() > MAX_CALLER_ATTRIBUTES || new HashSet<>(callers).size() < callers.size()) {
      throw new IllegalArgumentException(
          "callers must be at most %d different attributes, got %s"
              .formatted(MAX_CALLER_ATTRIBUTES, callers));
    }
  }

  /** Creates a policy under which all requests are equal. */
  public static ShedPolicy of(SignalKind signal, double target) {
    return new ShedPolicy(signal, target, "", List.of(), Map.of(), List.of());
  }

  /** Returns this policy with priorities, of which the first is dropped last. */
  public ShedPolicy withPriorities(String attribute, String... order) {
    return new ShedPolicy(signal, target, attribute, List.of(order), guarantee, callers);
  }

  /** Returns this policy with a share of the capacity, in thousandths, guaranteed to a priority. */
  public ShedPolicy withGuarantee(String priority, int permille) {
    var all = new TreeMap<>(guarantee);
    all.put(priority, permille);
    return new ShedPolicy(signal, target, priorityBy, order, all, callers);
  }

  /** Returns this policy with the attributes that identify a caller. */
  public ShedPolicy withCallers(String... attributes) {
    return new ShedPolicy(signal, target, priorityBy, order, guarantee, List.of(attributes));
  }

  /** Returns the value at which the signal is kept. */
  public Setpoint setpoint() {
    return Setpoint.of(signal, target);
  }

  /** Returns the number of priorities, at least 1. */
  public int priorities() {
    return Math.max(1, order.size());
  }

  /**
   * Returns the guaranteed share of the capacity of each priority, in the order of the priorities.
   */
  public double[] guarantees() {
    var shares = new double[priorities()];
    for (int i = 0; i < order.size(); i++) {
      shares[i] = guarantee.getOrDefault(order.get(i), 0) / (double) WHOLE;
    }
    return shares;
  }

  private static void requireTarget(SignalKind signal, double target) {
    if (signal.isShare() && !(target > 0 && target < 1)) {
      throw new IllegalArgumentException(
          "target must be above 0 and below 1 for this signal, got %s".formatted(target));
    }
    if (!signal.isShare() && !(target > 0 && target <= Setpoint.MAX_TARGET)) {
      throw new IllegalArgumentException(
          "target must be a time above 0, got %s ms".formatted(target));
    }
  }

  private static void requireOrder(String by, List<String> order) {
    if (by.isEmpty() != order.isEmpty() || by.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "priorities need an attribute of at most %d characters and an order, got '%s' and %s"
              .formatted(MAX_LENGTH, by, order));
    }
    if (order.size() > MAX_PRIORITIES || new HashSet<>(order).size() < order.size()) {
      throw new IllegalArgumentException(
          "order must have at most %d different priorities, got %s"
              .formatted(MAX_PRIORITIES, order));
    }
    for (var priority : order) {
      if (priority.isEmpty() || priority.length() > MAX_LENGTH) {
        throw new IllegalArgumentException(
            "a priority must have 1 to %d characters, got '%s'".formatted(MAX_LENGTH, priority));
      }
    }
  }

  private static void requireGuarantee(List<String> order, Map<String, Integer> guarantee) {
    int sum = 0;
    for (var share : guarantee.entrySet()) {
      if (!order.contains(share.getKey())) {
        throw new IllegalArgumentException(
            "guarantee names '%s', which is not a priority; use one of %s"
                .formatted(share.getKey(), order));
      }
      if (share.getValue() < 0 || share.getValue() > WHOLE) {
        throw new IllegalArgumentException(
            "the guarantee of '%s' must be 0%% to 100%%, got %s%%"
                .formatted(share.getKey(), share.getValue() / 10.0));
      }
      sum += share.getValue();
    }
    if (sum > WHOLE) {
      throw new IllegalArgumentException(
          "the guarantees must be at most 100%% together, got %s%%".formatted(sum / 10.0));
    }
  }
}
