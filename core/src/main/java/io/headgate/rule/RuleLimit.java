package io.headgate.rule;

import io.headgate.limit.Limit;
import java.util.List;
import java.util.Optional;

/**
 * One limit of a rule, with its name and its settings within the rule.
 *
 * @param name unique within the rule; usually the rule's id if there is only one limit
 * @param limit the algorithm and its parameters
 * @param cost the named cost that the limit is charged; empty for the request's plain cost
 * @param per overrides {@link Rule#per} for this limit
 * @param weight the weight in {@link Combine.Weighted}, 1 to 1,000,000
 * @param priority the order in {@link Combine.Priority}, highest first
 * @param scope the order in {@link Combine.Hierarchical}, narrowest first
 */
public record RuleLimit(
    String name,
    Limit limit,
    Optional<String> cost,
    Optional<List<String>> per,
    long weight,
    int priority,
    Optional<Scope> scope) {

  /** The scope of a limit, from narrow to wide. */
  public enum Scope {
    USER,
    GROUP,
    TENANT,
    REGION,
    GLOBAL
  }

  public RuleLimit {
    NameSyntax.require("a limit's name", name);
    per = per.map(List::copyOf);
    if (weight < 1 || weight > 1_000_000) {
      throw new IllegalArgumentException(
          "weight of limit '%s' must be 1 to 1000000, got %d".formatted(name, weight));
    }
  }

  /** Creates a limit with weight 1, priority 0, and no named cost, scope or attributes. */
  public static RuleLimit of(String name, Limit limit) {
    return new RuleLimit(name, limit, Optional.empty(), Optional.empty(), 1, 0, Optional.empty());
  }

  /** Returns this limit, charged with a named cost. */
  public RuleLimit withCost(String cost) {
    return new RuleLimit(name, limit, Optional.of(cost), per, weight, priority, scope);
  }

  /** Returns this limit with one counter per distinct value of the attributes. */
  public RuleLimit per(String... attributes) {
    return new RuleLimit(
        name, limit, cost, Optional.of(List.of(attributes)), weight, priority, scope);
  }

  /** Returns this limit with another weight. */
  public RuleLimit withWeight(long weight) {
    return new RuleLimit(name, limit, cost, per, weight, priority, scope);
  }

  /** Returns this limit with another priority. */
  public RuleLimit withPriority(int priority) {
    return new RuleLimit(name, limit, cost, per, weight, priority, scope);
  }

  /** Returns this limit with another scope. */
  public RuleLimit withScope(Scope scope) {
    return new RuleLimit(name, limit, cost, per, weight, priority, Optional.of(scope));
  }
}
