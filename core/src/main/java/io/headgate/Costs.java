package io.headgate;

import io.headgate.rule.Counter;
import io.headgate.rule.Request;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * Costs of one request, by the name that limits spend: an estimate, the usage so far, or the real
 * cost.
 *
 * @param plain the cost for limits without a named cost; empty if it is not reported
 * @param named the costs for limits with a named cost such as {@code tokens}. A name that is
 *     missing is not reported. {@link Request#PLAIN_COST}, the name of the plain cost in reports,
 *     is the plain cost as well
 */
public record Costs(OptionalLong plain, Map<String, Long> named) {
  /** Costs of which none is reported. */
  public static final Costs NONE = new Costs(OptionalLong.empty(), Map.of());

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public Costs {
    if (plain.isPresent()) requireCost("cost", plain.getAsLong());
    named = Map.copyOf(named);
    if (named.size() > Request.MAX_NAMED_COSTS) {
      throw new IllegalArgumentException(
          "at most %d named costs can be reported, got %d"
              .formatted(Request.MAX_NAMED_COSTS, named.size()));
    }
    named.forEach((name, value) -> requireCost("cost '" + name + "'", value));
    if (plain.isPresent() && named.containsKey(Request.PLAIN_COST)) {
      throw new IllegalArgumentException(
          "the plain cost is given twice, as %d and as named cost '%s'; give it once"
              .formatted(plain.getAsLong(), Request.PLAIN_COST));
    }
  }

  /** Creates named costs. */
  public static Costs of(Map<String, Long> named) {
    return new Costs(OptionalLong.empty(), named);
  }

  /** Creates one named cost. */
  public static Costs of(String name, long cost) {
    return of(Map.of(name, cost));
  }

  /** Creates a cost for limits without a named cost. */
  public static Costs plain(long cost) {
    return new Costs(OptionalLong.of(cost), Map.of());
  }

  /** Returns the reported cost of a name; empty if it is not reported. */
  public OptionalLong cost(String name) {
    var cost = named.get(name);
    return cost == null ? OptionalLong.empty() : OptionalLong.of(cost);
  }

  /**
   * Returns the reported cost that a limit spends; empty if it is not reported.
   *
   * @param name the limit's named cost; empty for a limit without one
   */
  public OptionalLong spentBy(Optional<String> name) {
    if (name.isPresent()) return cost(name.get());
    return plain.isPresent() ? plain : cost(Request.PLAIN_COST);
  }

  /** Returns the cost that a counter spends; {@code missing} if it is not reported. */
  long of(Counter counter, long missing) {
    return spentBy(counter.cost()).orElse(missing);
  }

  /**
   * Returns the names of the reported costs, with {@link Request#PLAIN_COST} for the plain cost.
   */
  Set<String> names() {
    var names = new TreeSet<>(named.keySet());
    if (plain.isPresent()) names.add(Request.PLAIN_COST);
    return names;
  }

  private static void requireCost(String what, long cost) {
    if (cost < 0 || cost > Request.MAX_COST) {
      throw new IllegalArgumentException(
          "%s must be 0 to %d, got %d".formatted(what, Request.MAX_COST, cost));
    }
  }
}
