package io.headgate.rule;

import io.headgate.limit.Limit;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Tuning;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One limit of a rule, with its name and its settings within the rule.
 *
 * <p>Immutable. Two rule limits are equal if all their settings are.
 */
public final class RuleLimit {
  private static final long MAX_WEIGHT = 1_000_000;

  /** The scope of a limit, from narrow to wide. */
  public enum Scope {
    /** One user. */
    USER,
    /** A group of users. */
    GROUP,
    /** A customer or organisation. */
    TENANT,
    /** A region. */
    REGION,
    /** All requests. */
    GLOBAL
  }

  private final String name;
  private final Limit limit;
  private final Optional<String> cost;
  private final boolean costRequired;
  private final Optional<List<String>> per;
  private final long weight;
  private final int priority;
  private final Optional<Scope> scope;
  private final Optional<Tuning> tuning;

  private RuleLimit(
      String name,
      Limit limit,
      Optional<String> cost,
      boolean costRequired,
      Optional<List<String>> per,
      long weight,
      int priority,
      Optional<Scope> scope,
      Optional<Tuning> tuning) {
    NameSyntax.require("a limit's name", name);
    if (weight < 1 || weight > MAX_WEIGHT) {
      throw new IllegalArgumentException(
          "weight of limit '%s' must be 1 to %d, got %d".formatted(name, MAX_WEIGHT, weight));
    }
    this.name = name;
    this.limit = limit;
    this.cost = cost;
    this.costRequired = costRequired;
    this.per = per;
    this.weight = weight;
    this.priority = priority;
    this.scope = scope;
    this.tuning = tuning;
  }

  /**
   * Creates a limit with weight 1, priority 0, and no named cost, scope or attributes.
   *
   * @param name unique within the rule; usually the rule's id if there is only one limit
   */
  public static RuleLimit of(String name, Limit limit) {
    return new RuleLimit(
        name,
        limit,
        Optional.empty(),
        false,
        Optional.empty(),
        1,
        0,
        Optional.empty(),
        Optional.empty());
  }

  /** Returns this limit under another name. */
  public RuleLimit withName(String name) {
    return new RuleLimit(name, limit, cost, costRequired, per, weight, priority, scope, tuning);
  }

  /** Returns this limit, charged with a named cost. */
  public RuleLimit withCost(String cost) {
    return new RuleLimit(
        name, limit, Optional.of(cost), false, per, weight, priority, scope, tuning);
  }

  /**
   * Returns this limit, charged with a named cost that a request must have. A request without it
   * fails with an {@link InvalidCostException} if the rule is enforced, instead of spending 0.
   */
  public RuleLimit withRequiredCost(String cost) {
    return new RuleLimit(
        name, limit, Optional.of(cost), true, per, weight, priority, scope, tuning);
  }

  /** Returns this limit with one counter per distinct value of the attributes. */
  public RuleLimit withPer(String... attributes) {
    return withPer(List.of(attributes));
  }

  /** Returns this limit with one counter per distinct value of the attributes. */
  public RuleLimit withPer(List<String> attributes) {
    var copy = List.copyOf(attributes);
    return new RuleLimit(
        name, limit, cost, costRequired, Optional.of(copy), weight, priority, scope, tuning);
  }

  /**
   * Returns this limit with another weight.
   *
   * @throws IllegalArgumentException if the weight is not from 1 to 1,000,000
   */
  public RuleLimit withWeight(long weight) {
    return new RuleLimit(name, limit, cost, costRequired, per, weight, priority, scope, tuning);
  }

  /** Returns this limit with another priority. */
  public RuleLimit withPriority(int priority) {
    return new RuleLimit(name, limit, cost, costRequired, per, weight, priority, scope, tuning);
  }

  /** Returns this limit with another scope. */
  public RuleLimit withScope(Scope scope) {
    return new RuleLimit(
        name, limit, cost, costRequired, per, weight, priority, Optional.of(scope), tuning);
  }

  /**
   * Returns this limit with a rate that follows a signal.
   *
   * @throws IllegalArgumentException if the limit is not a token bucket that the tuning fits
   */
  public RuleLimit withTuning(Tuning tuning) {
    if (!(limit instanceof TokenBucket bucket)) {
      throw new IllegalArgumentException(
          "only the rate of a token bucket can follow a signal, and limit '%s' is a %s"
              .formatted(name, limit.algorithm()));
    }
    tuning.requireFits(bucket);
    return new RuleLimit(
        name, limit, cost, costRequired, per, weight, priority, scope, Optional.of(tuning));
  }

  /** Returns the name, which is unique within the rule. */
  public String name() {
    return name;
  }

  /** Returns the algorithm and its parameters. */
  public Limit limit() {
    return limit;
  }

  /** Returns the named cost that the limit is charged; empty for the request's plain cost. */
  public Optional<String> cost() {
    return cost;
  }

  /** Returns whether a request without the named cost is an error; otherwise it spends 0. */
  public boolean isCostRequired() {
    return costRequired;
  }

  /** Returns the attributes that replace {@link Rule#per} for this limit, if any. */
  public Optional<List<String>> per() {
    return per;
  }

  /** Returns the weight in {@link Combine.Weighted}. */
  public long weight() {
    return weight;
  }

  /** Returns the order in {@link Combine.Priority}, highest first. */
  public int priority() {
    return priority;
  }

  /** Returns the order in {@link Combine.Hierarchical}, narrowest first. */
  public Optional<Scope> scope() {
    return scope;
  }

  /** Returns how the rate follows a signal; empty if it is constant. */
  public Optional<Tuning> tuning() {
    return tuning;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RuleLimit that
        && name.equals(that.name)
        && limit.equals(that.limit)
        && cost.equals(that.cost)
        && costRequired == that.costRequired
        && per.equals(that.per)
        && weight == that.weight
        && priority == that.priority
        && scope.equals(that.scope)
        && tuning.equals(that.tuning);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, limit, cost, costRequired, per, weight, priority, scope, tuning);
  }

  @Override
  public String toString() {
    return ("RuleLimit[name=%s, limit=%s, cost=%s, required=%s, per=%s, weight=%d, priority=%d,"
            + " scope=%s, tuning=%s]")
        .formatted(name, limit, cost, costRequired, per, weight, priority, scope, tuning);
  }
}
