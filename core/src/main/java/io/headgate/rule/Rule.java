package io.headgate.rule;

import io.headgate.limit.Limit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * A rule: the subjects it applies to, their limits, and how the limits are enforced.
 *
 * @param id unique within a rule set; shown in decisions, headers and metrics
 * @param description free text
 * @param match the conditions that a subject must meet
 * @param per the attributes of which each distinct value has its own counter; by default those that
 *     {@code match} has a wildcard for (a glob or a CIDR block)
 * @param combine how the outcomes of the limits are combined
 * @param limits at least one, with unique names
 * @param overrides the first that matches replaces {@code limits}
 * @param fallback whether the rule applies only if no other rule does
 * @param mode whether the rule is enforced
 * @param consistency how instances share the counters
 * @param onStoreFailure how the rule decides while the store is unavailable
 * @param status the HTTP status of a denial, 400 to 599
 * @param active when the rule applies
 */
public record Rule(
    String id,
    String description,
    Match match,
    Optional<List<String>> per,
    Combine combine,
    List<RuleLimit> limits,
    List<LimitOverride> overrides,
    boolean fallback,
    Mode mode,
    Consistency consistency,
    FailurePolicy onStoreFailure,
    int status,
    Schedule active) {

  public static final int TOO_MANY_REQUESTS = 429;

  private static final String ID = "a rule's id";

  public Rule {
    NameSyntax.require(ID, id);
    per = per.map(List::copyOf);
    limits = List.copyOf(limits);
    overrides = List.copyOf(overrides);
    if (limits.isEmpty()) {
      throw new IllegalArgumentException(
          "rule '%s' has no limit; give it at least one".formatted(id));
    }
    requireUniqueNames(id, limits);
    for (var override : overrides) requireUniqueNames(id, override.limits());
    if (status < 400 || status > 599) {
      throw new IllegalArgumentException(
          "status of rule '%s' must be 400 to 599, got %d".formatted(id, status));
    }
  }

  /**
   * Starts a rule that matches every subject. {@link Builder#match(String, String)} narrows it.
   *
   * @throws IllegalArgumentException if the id is not a valid name
   */
  public static Builder named(String id) {
    NameSyntax.require(ID, id); // checked early, since limits get the same name
    return new Builder(id);
  }

  /**
   * A limit of an override that has its own counter, separate from the rule's limit of that name.
   *
   * @param override the index in {@link #overrides}
   * @param limit the index in that override's limits
   */
  public record SeparateCounter(int override, int limit) {}

  /**
   * Returns the limits of overrides that have their own counters, because the key of the rule's
   * counter does not determine whether the override applies. A caller can then use both the rule's
   * limit and the override's.
   */
  public List<SeparateCounter> separateCounters() {
    if (overrides.isEmpty()) return List.of();
    var separate = new SeparateCounters(this);
    var found = new ArrayList<SeparateCounter>();
    for (int i = 0; i < overrides.size(); i++) {
      var override = overrides.get(i);
      for (int j = 0; j < override.limits().size(); j++) {
        if (separate.contains(override, override.limits().get(j))) {
          found.add(new SeparateCounter(i, j));
        }
      }
    }
    return found;
  }

  /** Returns the attributes of which each distinct value has its own counter of {@code limit}. */
  public List<String> attributesOf(RuleLimit limit) {
    return limit.per().or(() -> per).orElseGet(this::wildcardAttributes);
  }

  private List<String> wildcardAttributes() {
    return match.conditions().entrySet().stream()
        .filter(condition -> condition.getValue().isWildcard())
        .map(condition -> condition.getKey())
        .toList();
  }

  private static void requireUniqueNames(String id, List<RuleLimit> limits) {
    var seen = new HashSet<String>();
    for (var limit : limits) {
      if (!seen.add(limit.name())) {
        throw new IllegalArgumentException(
            "rule '%s' has two limits named '%s'; give each a name of its own"
                .formatted(id, limit.name()));
      }
    }
  }

  /** Builds a rule from the settings that differ from the defaults. Not thread-safe. */
  public static final class Builder {
    private final String id;
    private String description = "";
    private Match match = Match.EVERYTHING;
    private Optional<List<String>> per = Optional.empty();
    private Combine combine = new Combine.All();
    private final List<RuleLimit> limits = new ArrayList<>();
    private final List<LimitOverride> overrides = new ArrayList<>();
    private boolean fallback;
    private Mode mode = Mode.ENFORCE;
    private Consistency consistency = Consistency.STRICT;
    private FailurePolicy onStoreFailure = FailurePolicy.DEFAULT;
    private int status = TOO_MANY_REQUESTS;
    private Schedule active = Schedule.ALWAYS;

    private Builder(String id) {
      this.id = id;
    }

    public Builder description(String description) {
      this.description = description;
      return this;
    }

    /** Adds a condition. All conditions must be met. */
    public Builder match(String attribute, String pattern) {
      match = match.and(attribute, pattern);
      return this;
    }

    /** Replaces all conditions. */
    public Builder match(Match match) {
      this.match = match;
      return this;
    }

    /** Sets the attributes of which each distinct value has its own counter. */
    public Builder per(String... attributes) {
      per = Optional.of(List.of(attributes));
      return this;
    }

    public Builder combine(Combine combine) {
      this.combine = combine;
      return this;
    }

    /** Adds a limit with the name of the rule. */
    public Builder limit(Limit limit) {
      return limit(RuleLimit.of(id, limit));
    }

    /** Adds a limit. */
    public Builder limit(RuleLimit limit) {
      limits.add(limit);
      return this;
    }

    /** Adds an override with one limit, with the name of the rule, for subjects that match. */
    public Builder override(String attribute, String pattern, Limit limit) {
      return override(
          new LimitOverride(Match.of(attribute, pattern), List.of(RuleLimit.of(id, limit))));
    }

    /** Adds an override. The first override that matches applies. */
    public Builder override(LimitOverride override) {
      overrides.add(override);
      return this;
    }

    /** Makes the rule apply only if no other rule does. */
    public Builder fallback() {
      fallback = true;
      return this;
    }

    public Builder mode(Mode mode) {
      this.mode = mode;
      return this;
    }

    public Builder consistency(Consistency consistency) {
      this.consistency = consistency;
      return this;
    }

    public Builder onStoreFailure(FailurePolicy onStoreFailure) {
      this.onStoreFailure = onStoreFailure;
      return this;
    }

    public Builder status(int status) {
      this.status = status;
      return this;
    }

    public Builder active(Schedule active) {
      this.active = active;
      return this;
    }

    /**
     * Creates the rule.
     *
     * @throws IllegalArgumentException if the rule has no limit, two limits of the same name or an
     *     invalid status
     */
    public Rule build() {
      return new Rule(
          id,
          description,
          match,
          per,
          combine,
          limits,
          overrides,
          fallback,
          mode,
          consistency,
          onStoreFailure,
          status,
          active);
    }
  }
}
