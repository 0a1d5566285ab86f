package io.headgate.rule;

import io.headgate.limit.Limit;
import java.util.List;
import java.util.Optional;

/**
 * One limit of a rule, with what ties it there.
 *
 * @param name unique within the rule; the rule's id where it has but one
 * @param cost the named cost that it spends; without one, the request's plain cost
 * @param per as in {@link Rule#per}, for this limit alone
 * @param weight what it counts for in {@link Combine.Weighted}
 * @param priority higher comes first in {@link Combine.Priority}
 * @param scope narrower comes first in {@link Combine.Hierarchical}
 */
public record RuleLimit(
    String name,
    Limit limit,
    Optional<String> cost,
    Optional<List<String>> per,
    long weight,
    int priority,
    Optional<Scope> scope) {

  /** From narrow to wide. */
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

  public static RuleLimit of(String name, Limit limit) {
    return new RuleLimit(name, limit, Optional.empty(), Optional.empty(), 1, 0, Optional.empty());
  }

  public RuleLimit spending(String cost) {
    return new RuleLimit(name, limit, Optional.of(cost), per, weight, priority, scope);
  }

  public RuleLimit per(String... attributes) {
    return new RuleLimit(
        name, limit, cost, Optional.of(List.of(attributes)), weight, priority, scope);
  }

  public RuleLimit weighing(long weight) {
    return new RuleLimit(name, limit, cost, per, weight, priority, scope);
  }

  public RuleLimit withPriority(int priority) {
    return new RuleLimit(name, limit, cost, per, weight, priority, scope);
  }

  public RuleLimit within(Scope scope) {
    return new RuleLimit(name, limit, cost, per, weight, priority, Optional.of(scope));
  }
}
